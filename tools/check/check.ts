// SPDX-License-Identifier: Apache-2.0
import type { Tree } from './tree.ts';

/** One broken rule at one place. */
export interface Problem {
  /** The rule's own name, as one would look it up. */
  readonly rule: string;
  /** Path from the root of the tree; absent when the problem belongs to no single file. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** What is wrong, and what to do about it. */
  readonly message: string;
}

/** What a check found. Notes are facts worth a look that break no rule. */
export interface Findings {
  readonly problems: readonly Problem[];
  readonly notes?: readonly string[];
}

/**
 * One part of `npm run check`. It reads the tree it is given and changes nothing, so that the checks run side by side and
 * against small trees made by their tests.
 */
export interface Check {
  readonly name: string;
  run(tree: Tree): Promise<Findings>;
}
