// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';

/** Randomness as a parameter. Names on which safety depends are computed, never random. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
  /** Bytes for secrets from `systemRandom`; reproducible ones from `seededRandom`. */
  bytes(length: number): Uint8Array;
}

/** The operating system's randomness. */
export const systemRandom: Random = {
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  uuid: () => randomUUID(),
  bytes: (length) => new Uint8Array(randomBytes(length)),
};

/** The same sequence for the same seed, for tests and simulations (mulberry32). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const bytes = (length: number) => {
    const drawn = new Uint8Array(length);
    for (let index = 0; index < length; index++) drawn[index] = Math.floor(next() * 256);
    return drawn;
  };
  return { next, bytes, uuid: () => uuidFrom(bytes(16)) };
}

function uuidFrom(bytes: Uint8Array): string {
  const versioned = Buffer.from(bytes);
  versioned[6] = ((versioned[6] ?? 0) & 0x0f) | 0x40;
  versioned[8] = ((versioned[8] ?? 0) & 0x3f) | 0x80;
  const hex = versioned.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
