// SPDX-License-Identifier: Apache-2.0
import { SnapshotError } from './snapshot-error.ts';

/** The hash at the end of a snapshot: SHA-256 of all before it. */
export const trailerBytes = 32;

/** Databases are a whole number of these; that is how a file with a hash is told from one without. */
const sectorBytes = 512;

/** What was found of a file by reading it to its end, whoever did so. */
export interface MeasuredFile {
  readonly bytes: number;
  readonly embedded: {
    /** SHA-256 of all but the last 32 bytes, hexadecimal. */
    readonly sha256: string;
    /** Those 32 bytes, hexadecimal. */
    readonly says: string;
  };
}

/** Throws a `SnapshotError` unless the file is a snapshot whose own hash holds. */
export function checkSnapshot({ bytes, embedded }: MeasuredFile): void {
  checkSnapshotLength(bytes);
  if (embedded.sha256 !== embedded.says)
    throw new SnapshotError(
      'HashMismatch',
      `the snapshot (${bytes} bytes) is damaged: its content does not match the hash at its end`,
    );
}

/** Throws a `SnapshotError` if no snapshot with a hash at its end has this length. */
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
