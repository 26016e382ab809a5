// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { checkSnapshot, trailerBytes } from './check-snapshot.ts';

/** What is known of a snapshot once it has been read to its end and found sound. */
export interface VerifiedSnapshot {
  /** The whole length, hash included. */
  readonly bytes: number;
  /** SHA-256 of the database, hexadecimal: what the last 32 bytes say. */
  readonly sha256: string;
  /** SHA-256 of all bytes, hash included, hexadecimal. */
  readonly wholeSha256: string;
}

/**
 * Passes a snapshot on, unchanged, and checks it on the way (operator rule 20). The last 32 bytes are held back until the
 * check is over: a consumer that has got them has got a sound snapshot, and one that has not sees a `SnapshotError` instead
 * of an end. Whoever stores the bytes must make them visible only after this has ended without an error.
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
    // All but the last 32 bytes seen so far are settled; the tail is copied, for chunks are views that may be reused.
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
