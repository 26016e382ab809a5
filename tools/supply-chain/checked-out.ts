// SPDX-License-Identifier: Apache-2.0
import { outputOf } from '../process/run-program.ts';

/** The commit of a working tree. */
export interface CheckedOut {
  /** Undefined outside a Git repository. */
  readonly commit: string | undefined;
  /** True if files differ from the commit. */
  readonly isModified: boolean;
  readonly tags: readonly string[];
}

export async function checkedOut(root: string): Promise<CheckedOut> {
  const git = async (...args: readonly string[]) => (await outputOf(['git', ...args], { cwd: root })).trim();
  try {
    const commit = await git('rev-parse', 'HEAD');
    const tags = await git('tag', '--points-at', 'HEAD');
    return { commit, isModified: (await git('status', '--porcelain')) !== '', tags: tags.split('\n') };
  } catch {
    return { commit: undefined, isModified: true, tags: [] };
  }
}
