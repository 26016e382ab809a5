// SPDX-License-Identifier: Apache-2.0

/** A sorted list of distinct strings, ordered by code unit as etcd orders its keys. */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const at = this.lowerBound(key);
    if (this.#keys[at] !== key) this.#keys.splice(at, 0, key);
  }

  delete(key: string): void {
    const at = this.lowerBound(key);
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** The keys that begin with `prefix`, in order. */
  withPrefix(prefix: string): readonly string[] {
    if (prefix === '') return this.#keys;
    const from = this.lowerBound(prefix);
    return this.#keys.slice(from, this.lowerBound(`${prefix}\uffff`));
  }

  /** Index of the first key that is not smaller than `key`. */
  lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
