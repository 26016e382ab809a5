// SPDX-License-Identifier: Apache-2.0

/**
 * What is wrong with a stored snapshot.
 *
 * - `NoHash`: a bare database without the 32 bytes at its end, such as a copied `member/snap/db`.
 * - `WrongLength`: neither that nor a snapshot; cut off, or something else.
 * - `HashMismatch`: the right shape, but not the bytes that the member sent.
 * - `Malformed`: not a database of etcd, or a broken one.
 * - `NoSuchRevision`: a sound one, without the revision that was asked for.
 * - `Gap`: changes that do not follow it, or each other, without a gap.
 */
export type SnapshotErrorCode = 'NoHash' | 'WrongLength' | 'HashMismatch' | 'Malformed' | 'NoSuchRevision' | 'Gap';

/** The one error about stored snapshots. */
export class SnapshotError extends Error {
  readonly code: SnapshotErrorCode;

  constructor(code: SnapshotErrorCode, message: string) {
    super(message);
    this.name = 'SnapshotError';
    this.code = code;
  }
}
