// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** What was found by reading a snapshot to its end. The operator, which knows the expected values, judges it. */
export interface Measured {
  readonly bytes: number;
  /** SHA-256 of all bytes, hexadecimal. */
  readonly sha256: string;
  /** SHA-256 of all but the last 32 bytes, and the hash that these 32 bytes contain, both hexadecimal. */
  readonly embedded: { readonly sha256: string; readonly says: string };
}

const trailerBytes = 32;

/** Measures a snapshot in one pass: both of its hashes come from hashing every byte once. */
export class Measure {
  readonly #hash = createHash('sha256');
  /** The last bytes so far. Whether they are the end of the snapshot is known only when no more bytes come. */
  #tail = Buffer.alloc(0);
  #bytes = 0;

  /** Adds the next bytes; the caller may overwrite them afterwards. */
  update(piece: Uint8Array): void {
    this.#bytes += piece.byteLength;
    if (piece.byteLength < trailerBytes) {
      const joined = Buffer.concat([this.#tail, piece]);
      const settled = Math.max(0, joined.byteLength - trailerBytes);
      this.#hash.update(joined.subarray(0, settled));
      this.#tail = joined.subarray(settled);
      return;
    }
    this.#hash.update(this.#tail);
    const settled = piece.byteLength - trailerBytes;
    this.#hash.update(piece.subarray(0, settled));
    this.#tail = Buffer.from(piece.subarray(settled));
  }

  /** Called once, at the end. */
  result(): Measured {
    const whole = this.#hash.copy().update(this.#tail).digest('hex');
    const embedded = { sha256: this.#hash.digest('hex'), says: this.#tail.toString('hex') };
    return { bytes: this.#bytes, sha256: whole, embedded };
  }
}
