// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The commit of a working tree. */
export interface CheckedOut {
  /** Undefined outside a Git repository. */
  readonly commit: string | undefined;
  /** True if files differ from the commit. */
  readonly isModified: boolean;
  readonly tags: readonly string[];
}

export async function checkedOut(root: string): Promise<CheckedOut> {
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)('git', [...args], { cwd: root })).stdout.trim();
  try {
    const commit = await git('rev-parse', 'HEAD');
    const tags = await git('tag', '--points-at', 'HEAD');
    return { commit, isModified: (await git('status', '--porcelain')) !== '', tags: tags.split('\n') };
  } catch {
    return { commit: undefined, isModified: true, tags: [] };
  }
}
