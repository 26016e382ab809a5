// SPDX-License-Identifier: Apache-2.0
import { statfs } from 'node:fs/promises';
import { PartError } from './part.ts';

/** Refuses to begin what could not be finished. */
export async function requireSpace(name: string, directory: string, bytesNeeded: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytesNeeded) return;
  throw new PartError(
    'NoSpace',
    `${name} needs ${bytesNeeded} bytes (${megabytes(bytesNeeded)}) in ${directory}, where ${free} bytes (${megabytes(free)}) are free: free some space, or set ETCD_OPERATOR_CACHE to a directory on a larger disk`,
  );
}

/** An error of the file system that means a full disk, said in our words; anything else as it is. */
export function asNoSpace(name: string, directory: string, bytesNeeded: number, error: unknown): unknown {
  if (error instanceof PartError) {
    if (error.code !== 'NoSpace' || error.message.includes(directory)) return error;
  } else if (!(error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))) {
    return error;
  }
  return new PartError(
    'NoSpace',
    `the disk became full while ${name} was being made, which needs ${bytesNeeded} bytes (${megabytes(bytesNeeded)}) in ${directory}: free some space, or set ETCD_OPERATOR_CACHE to a directory on a larger disk (${error.message})`,
    { cause: error },
  );
}

/** '61 MB'. */
export function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MB`;
}
