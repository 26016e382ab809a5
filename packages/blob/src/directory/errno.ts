// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';

/** Maps errors of the operating system to codes of this package. */
const codes: Readonly<Record<string, BlobErrorCode>> = {
  ENOENT: 'NotFound',
  ENOTDIR: 'NotFound',
  EISDIR: 'NotFound',
  EACCES: 'Denied',
  EPERM: 'Denied',
  EROFS: 'Denied',
  ENOSPC: 'NoSpace',
  EDQUOT: 'NoSpace',
  EFBIG: 'NoSpace',
  ELOOP: 'InvalidPath',
  ENAMETOOLONG: 'InvalidPath',
  EILSEQ: 'InvalidPath',
  EIO: 'Unavailable',
  ESTALE: 'Unavailable',
  EBUSY: 'Unavailable',
  EAGAIN: 'Unavailable',
  EMFILE: 'Unavailable',
  ENFILE: 'Unavailable',
  ETIMEDOUT: 'Timeout',
};

/** The errno name of an error, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** True if the error means that there is no such file. */
export function isAbsence(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/** An error of the file system, with the system's message, which contains the path. */
export function fileError(thrown: unknown, what: string): BlobError {
  const code = codes[errnoOf(thrown) ?? ''] ?? 'Unknown';
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BlobError(code, `${what}: ${message}`, { cause: thrown });
}
