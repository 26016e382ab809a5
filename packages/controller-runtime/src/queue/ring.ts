// SPDX-License-Identifier: Apache-2.0

const smallest = 16;

/** A first-in first-out list on a circular array: constant-time `push` and `shift`, and no garbage while its size is steady. */
export class Ring<T> {
  #slots: (T | undefined)[] = new Array(smallest);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  peek(): T | undefined {
    return this.#length === 0 ? undefined : this.#slots[this.#head];
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    // What a burst needed is given back once it is over.
    if (this.#length === 0 && this.#slots.length > 1024) this.clear();
    return item;
  }

  /** Keeps the items that `keep` accepts, in order. */
  retain(keep: (item: T) => boolean): void {
    const kept = [...this].filter(keep);
    this.clear();
    for (const item of kept) this.push(item);
  }

  clear(): void {
    this.#slots = new Array(smallest);
    this.#head = 0;
    this.#length = 0;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let index = 0; index < this.#length; index++) {
      yield this.#slots[(this.#head + index) & (this.#slots.length - 1)] as T;
    }
  }

  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity);
    for (let index = 0; index < this.#length; index++) {
      slots[index] = this.#slots[(this.#head + index) & (this.#slots.length - 1)];
    }
    this.#slots = slots;
    this.#head = 0;
  }
}
