// SPDX-License-Identifier: Apache-2.0
import { statfs } from 'node:fs/promises';
import { PartError } from '../part.ts';

/** Refuses to begin without enough space. */
export async function requireSpace(name: string, directory: string, bytesNeeded: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytesNeeded) return;
  throw new PartError(
    'NoSpace',
    `${name} needs ${bytesNeeded} bytes (${megabytes(bytesNeeded)}) in ${directory}, where ${free} bytes (${megabytes(free)}) are free: free some space, or set ETCD_OPERATOR_CACHE to a directory on a larger disk`,
  );
}

/** Converts an error about a full disk of `directory` to our message; other errors are unchanged. */
export function asNoSpace(name: string, directory: string, bytesNeeded: number, error: unknown): unknown {
  if (!isFull(directory, error)) return error;
  return new PartError(
    'NoSpace',
    `the disk became full while ${name} was being made, which needs ${bytesNeeded} bytes (${megabytes(bytesNeeded)}) in ${directory}: free some space, or set ETCD_OPERATOR_CACHE to a directory on a larger disk (${error.message})`,
    { cause: error },
  );
}

/** A tool may have filled another disk, such as that of Go's own cache; its message then names a file there. */
function isFull(directory: string, error: unknown): error is Error {
  if (error instanceof PartError) {
    return error.code === 'NoSpace' && (error.message.includes(directory) || error.message.includes('$WORK'));
  }
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** '61 MB'. */
export function megabytes(bytes: number): string {
  const value = bytes / 1e6;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MB`;
}
