// SPDX-License-Identifier: Apache-2.0

/** Means: no number. */
export const none = -1;

/** How many places of the table are searched for a key. This limit holds even if someone chooses keys that collide. */
const mostTries = 64;

/**
 * Numbers different keys 0, 1, 2 ... in the order they arrive.
 *
 * A few keys are in a `Map`. With hundreds of thousands of keys a `Map` takes twice the time and three times the
 * memory, because it reads every key again whenever it grows. Beyond `mostInMap` keys, strings are therefore kept in a
 * hash table. Each place of the table is a pair: the hash of a key, and its number plus one. Keys that are not strings,
 * or find no free place, stay in the `Map`.
 */
export class KeyIndex<K> {
  readonly #mostInMap: number;
  #keys: K[] = [];
  #map = new Map<K, number>();
  /** Empty until there is a table. */
  #pairs = new Int32Array(0);
  #mask = 0;

  constructor(mostInMap = 16_384) {
    this.#mostInMap = mostInMap;
  }

  get size(): number {
    return this.#keys.length;
  }

  keyAt(number: number): K {
    return this.#keys[number] as K;
  }

  /** The number of a key, or `none`. */
  find(key: K): number {
    if (typeof key === 'string' && this.#mask > 0) {
      const place = this.#placeOf(key, hashOf(key));
      if (place >= 0) return this.#numberAt(place);
    }
    return this.#map.get(key) ?? none;
  }

  /** The number of a key; a new key gets the next number. */
  numberOf(key: K): number {
    if (typeof key === 'string' && this.#mask > 0) {
      const hash = hashOf(key);
      const place = this.#placeOf(key, hash);
      if (place >= 0) {
        const known = this.#numberAt(place);
        return known >= 0 ? known : this.#addAt(place, hash, key);
      }
    }
    return this.#map.get(key) ?? this.#addToMap(key);
  }

  /** Keeps some keys only: `renumbered` has the new number of each, in the same order, or `none`. */
  keep(renumbered: Int32Array): void {
    this.#keys = this.#keys.filter((_, number) => isKept(renumbered, number));
    this.#rebuild((number) => renumbered[number] ?? none);
  }

  /** The place of a key, or the free place where it belongs, or `none` if the table does not contain it. */
  #placeOf(key: K & string, hash: number): number {
    let place = hash & this.#mask;
    for (let tries = 0; tries < mostTries; tries++) {
      const number = this.#numberAt(place);
      if (number < 0) return place;
      if (this.#pairs[2 * place] === hash && this.#keys[number] === key) return place;
      place = (place + 1) & this.#mask;
    }
    return none;
  }

  #numberAt(place: number): number {
    return (this.#pairs[2 * place + 1] ?? 0) - 1;
  }

  #addAt(place: number, hash: number, key: K): number {
    const number = this.#keys.push(key) - 1;
    this.#pairs[2 * place] = hash;
    this.#pairs[2 * place + 1] = number + 1;
    if (3 * this.size > this.#pairs.length) this.#rebuild((same) => same);
    return number;
  }

  #addToMap(key: K): number {
    const number = this.#keys.push(key) - 1;
    this.#map.set(key, number);
    if (this.#mask === 0 && this.size > this.#mostInMap) this.#rebuild((same) => same);
    return number;
  }

  /** Moves all numbered keys into a new table, in the order of their places, which is the same in both tables. */
  #rebuild(renumber: (number: number) => number): void {
    const [pairs, map] = [this.#pairs, this.#map];
    const capacity = this.size > this.#mostInMap ? capacityFor(this.size) : 0;
    this.#pairs = new Int32Array(2 * capacity);
    this.#mask = Math.max(0, capacity - 1);
    this.#map = new Map();
    for (let at = 0; at < pairs.length; at += 2) {
      const number = (pairs[at + 1] ?? 0) - 1;
      if (number >= 0) this.#restore(pairs[at] ?? 0, renumber(number));
    }
    for (const [key, number] of map) {
      const moved = renumber(number);
      if (typeof key === 'string') this.#restore(hashOf(key), moved);
      else if (moved >= 0) this.#map.set(key, moved);
    }
  }

  /** Inserts a key that is known to be in no other place. */
  #restore(hash: number, number: number): void {
    if (number < 0) return;
    let place = hash & this.#mask;
    for (let tries = 0; this.#mask > 0 && tries < mostTries; tries++) {
      if (this.#numberAt(place) < 0) {
        this.#pairs[2 * place] = hash;
        this.#pairs[2 * place + 1] = number + 1;
        return;
      }
      place = (place + 1) & this.#mask;
    }
    this.#map.set(this.keyAt(number), number);
  }
}

function isKept(renumbered: Int32Array, number: number): boolean {
  return (renumbered[number] ?? none) >= 0;
}

/** A power of two. At most two thirds of the places are used; right after doubling, more than a third. */
function capacityFor(size: number): number {
  return 2 ** Math.max(6, Math.ceil(Math.log2(1.5 * size + 1)));
}

/** Mixes every character into all 32 bits. */
function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
