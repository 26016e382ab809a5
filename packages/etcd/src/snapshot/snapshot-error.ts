// SPDX-License-Identifier: Apache-2.0

/**
 * The problem of a stored snapshot.
 *
 * - `NoHash`: a bare database without the 32 bytes at its end, such as a copied `member/snap/db`.
 * - `WrongLength`: neither a bare database nor a snapshot; a truncated file, or any other file.
 * - `HashMismatch`: a valid length, but not the bytes that the member sent.
 * - `Malformed`: not a database of etcd, or a damaged one.
 * - `NoSuchRevision`: valid, but without the requested revision.
 * - `Gap`: changes are missing after the snapshot, or between two changes.
 */
export type SnapshotErrorCode = 'NoHash' | 'WrongLength' | 'HashMismatch' | 'Malformed' | 'NoSuchRevision' | 'Gap';

/** The only error class for stored snapshots. */
export class SnapshotError extends Error {
  readonly code: SnapshotErrorCode;

  constructor(code: SnapshotErrorCode, message: string) {
    super(message);
    this.name = 'SnapshotError';
    this.code = code;
  }
}
