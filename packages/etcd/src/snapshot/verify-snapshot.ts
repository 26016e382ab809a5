// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { checkSnapshot, trailerBytes } from './check-snapshot.ts';

/** Facts about a snapshot after it was read to its end and verified. */
export interface VerifiedSnapshot {
  /** The whole length, including the hash. */
  readonly bytes: number;
  /** SHA-256 of the database, hexadecimal: the last 32 bytes. */
  readonly sha256: string;
  /** SHA-256 of all bytes, including the hash, hexadecimal. */
  readonly wholeSha256: string;
}

/**
 * Forwards a snapshot unchanged, and verifies it (operator rule 20). The last 32 bytes are held back until the snapshot
 * is verified: a consumer either gets a valid snapshot, or a `SnapshotError` instead of its end. Stored bytes must
 * become visible only after this iteration has ended without an error.
 */
export async function* verifySnapshot(
  source: AsyncIterable<Uint8Array>,
  onVerified?: (snapshot: VerifiedSnapshot) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let tail: Uint8Array = new Uint8Array(0);
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    // Everything except the last 32 bytes is forwarded; the tail is copied, because chunks are views that may be
    // reused.
    const fromTail = Math.min(tail.byteLength, Math.max(0, tail.byteLength + chunk.byteLength - trailerBytes));
    const fromChunk = Math.max(0, chunk.byteLength - trailerBytes);
    const settled = [tail.subarray(0, fromTail), chunk.subarray(0, fromChunk)].filter((part) => part.byteLength > 0);
    tail = Buffer.concat([tail.subarray(fromTail), chunk.subarray(fromChunk)]);
    for (const part of settled) {
      hash.update(part);
      yield part;
    }
  }
  const whole = hash.copy().update(tail);
  const sha256 = hash.digest('hex');
  checkSnapshot({ bytes, embedded: { sha256, says: Buffer.from(tail).toString('hex') } });
  onVerified?.({ bytes, sha256, wholeSha256: whole.digest('hex') });
  yield tail;
}
