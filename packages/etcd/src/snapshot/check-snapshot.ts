// SPDX-License-Identifier: Apache-2.0
import { SnapshotError } from './snapshot-error.ts';

/** The hash at the end of a snapshot: SHA-256 of all preceding bytes. */
export const trailerBytes = 32;

/** The size of a database is a multiple of this, so a file with a hash at its end is recognised by its size. */
const sectorBytes = 512;

/** The result of reading a file to its end. */
export interface MeasuredFile {
  readonly bytes: number;
  readonly embedded: {
    /** SHA-256 of all but the last 32 bytes, hexadecimal. */
    readonly sha256: string;
    /** The last 32 bytes, hexadecimal. */
    readonly says: string;
  };
}

/** Throws a `SnapshotError` unless the file is a snapshot with a correct hash. */
export function checkSnapshot({ bytes, embedded }: MeasuredFile): void {
  checkSnapshotLength(bytes);
  if (embedded.sha256 !== embedded.says)
    throw new SnapshotError(
      'HashMismatch',
      `the snapshot (${bytes} bytes) is damaged: its content does not match the hash at its end`,
    );
}

/** Throws a `SnapshotError` if no snapshot with a hash can have this length. */
export function checkSnapshotLength(bytes: number): void {
  if (bytes > trailerBytes && bytes % sectorBytes === trailerBytes) return;
  if (bytes > 0 && bytes % sectorBytes === 0) {
    throw new SnapshotError(
      'NoHash',
      `the file (${bytes} bytes) has no hash at its end: it is a copy of a database file, not a snapshot`,
    );
  }
  throw new SnapshotError('WrongLength', `the file (${bytes} bytes) is not a snapshot, or is incomplete`);
}
