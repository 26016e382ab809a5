// SPDX-License-Identifier: Apache-2.0

/** A map that drops the least recently used entry when it is full. */
export class BoundedMap<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of `key`, which counts as used; created with `create` if there is none. */
  use(key: K, create: () => V): V {
    const known = this.#entries.get(key);
    const value = known === undefined ? create() : known;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    return value;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
