// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';

/**
 * The latest revision of every key, in 20 bytes for each key, and as many again for growth: a Map of the keys would
 * need ten times as much. Keys are identified by 64 bits of their SHA-256; a collision among ten million keys happens
 * once in 400,000 databases.
 */
export class LatestRevisions {
  #digests = new BigUint64Array(1024);
  #mains = new Float64Array(1024);
  #subs = new Uint32Array(1024);
  #size = 0;
  #live = 0;

  /** Existing keys: without those whose latest revision is a deletion. */
  get live(): number {
    return this.#live;
  }

  /** Must be called in the order of the revisions. */
  set(key: Uint8Array, main: number, sub: number, isDeletion: boolean): void {
    if (this.#size * 2 >= this.#digests.length) this.#grow();
    const digest = digestOf(key);
    const at = this.#find(digest);
    if (this.#digests[at] === 0n) this.#size += 1;
    else if (!this.#isDeletion(at)) this.#live -= 1;
    if (!isDeletion) this.#live += 1;
    this.#put(at, digest, main, (sub * 2 + (isDeletion ? 1 : 0)) >>> 0);
  }

  /** True if this is the latest revision of the key, and not a deletion. */
  isLive(key: Uint8Array, main: number, sub: number): boolean {
    const at = this.#find(digestOf(key));
    return this.#digests[at] !== 0n && this.#mains[at] === main && this.#subs[at] === (sub * 2) >>> 0;
  }

  #isDeletion(at: number): boolean {
    return ((this.#subs[at] ?? 0) & 1) === 1;
  }

  #find(digest: bigint): number {
    const mask = this.#digests.length - 1;
    let at = Number(digest & BigInt(mask));
    while (this.#digests[at] !== 0n && this.#digests[at] !== digest) at = (at + 1) & mask;
    return at;
  }

  #put(at: number, digest: bigint, main: number, sub: number): void {
    this.#digests[at] = digest;
    this.#mains[at] = main;
    this.#subs[at] = sub;
  }

  #grow(): void {
    const [digests, mains, subs] = [this.#digests, this.#mains, this.#subs];
    const length = digests.length * 2;
    this.#digests = new BigUint64Array(length);
    this.#mains = new Float64Array(length);
    this.#subs = new Uint32Array(length);
    for (const [index, digest] of digests.entries())
      if (digest !== 0n) this.#put(this.#find(digest), digest, mains[index] ?? 0, subs[index] ?? 0);
  }
}

/** The digest of a key. It is never 0, which marks a free place. */
function digestOf(key: Uint8Array): bigint {
  return hash('sha256', key, 'buffer').readBigUInt64LE(0) || 1n;
}
