// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '../kube-error.ts';

/** An unusable configuration. The message names the file, the entry, and the field. */
export function configError(where: string, problem: string, cause?: unknown): KubeError {
  return new KubeError('Configuration', `${where}: ${problem}`, cause === undefined ? {} : { cause });
}

/** The reason of a failed system call, without its stack: `ENOENT: no such file or directory`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
