// SPDX-License-Identifier: Apache-2.0
import type { Tree } from './tree.ts';

/** One violation of a rule at one place. */
export interface Problem {
  /** The rule's own name, for searching. */
  readonly rule: string;
  /** Path from the root of the tree; absent if the problem belongs to no single file. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** The problem, and what to do about it. */
  readonly message: string;
}

/** The result of a check. Notes are information, not violations. */
export interface Findings {
  readonly problems: readonly Problem[];
  readonly notes?: readonly string[];
}

/**
 * One part of `npm run check`. It reads the given tree and changes nothing, so that checks run concurrently and against
 * small trees in tests.
 */
export interface Check {
  readonly name: string;
  run(tree: Tree): Promise<Findings>;
}
