// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import { type DeepReadonly, shared } from './deep-readonly.ts';

/** The values under which an index finds an object. Pure; called once per change of an object. */
export type IndexFunction<T extends KubeObject> = (object: DeepReadonly<T>) => readonly string[];

const nothing: readonly string[] = [];

/**
 * One index: from a value to the keys of the objects that have it. If an index function throws, the object is missing
 * in the index and the error is reported; the store is not affected.
 */
export class Indexer<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #onError: (error: unknown, object: T) => void;
  readonly #keys = new Map<string, Set<string>>();

  constructor(valuesOf: IndexFunction<T>, onError: (error: unknown, object: T) => void) {
    this.#valuesOf = valuesOf;
    this.#onError = onError;
  }

  /** Moves `key` from the values of `before` to those of `after`; either may be absent. */
  update(key: string, before: T | undefined, after: T | undefined): void {
    const old = before === undefined ? nothing : this.#values(before);
    const now = after === undefined ? nothing : this.#values(after);
    if (sameValues(old, now)) return;
    for (const value of old) this.#remove(value, key);
    for (const value of now) this.#add(value, key);
  }

  /** The keys of the objects that have `value`. Valid until the next change. */
  keys(value: string): ReadonlySet<string> | undefined {
    return this.#keys.get(value);
  }

  /** All values that at least one object has. */
  values(): IterableIterator<string> {
    return this.#keys.keys();
  }

  #values(object: T): readonly string[] {
    try {
      return this.#valuesOf(shared(object));
    } catch (error) {
      this.#onError(error, object);
      return nothing;
    }
  }

  #add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys) keys.add(key);
    else this.#keys.set(value, new Set([key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}

function sameValues(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((value, index) => value === other[index]));
}
