// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { Removal } from '../store/removal.ts';
import type { Occasion } from './event-handler.ts';

/**
 * What one handler has not received yet about one object: from the last state that it received (`before`, absent if
 * none) to the newest (`after`, absent if the object is deleted).
 */
export interface Delta<T extends KubeObject> {
  readonly before: T | undefined;
  readonly after: T | undefined;
  readonly how: Removal;
  readonly occasion: Occasion;
}

/**
 * The changes that a busy handler has not received yet, one per object, in the order in which the objects first
 * changed. Merging limits its size to the number of objects, however many changes there are.
 */
export class DeltaQueue<T extends KubeObject> {
  readonly #deltas = new Map<string, Delta<T>>();

  get size(): number {
    return this.#deltas.size;
  }

  push(key: string, delta: Delta<T>): void {
    const waiting = this.#deltas.get(key);
    if (waiting === undefined) {
      this.#deltas.set(key, delta);
      return;
    }
    const merged = merge(waiting, delta);
    if (merged) this.#deltas.set(key, merged);
    else this.#deltas.delete(key);
  }

  /** Removes and returns the oldest. */
  shift(): Delta<T> | undefined {
    const first = this.#deltas.entries().next();
    if (first.done) return undefined;
    this.#deltas.delete(first.value[0]);
    return first.value[1];
  }
}

/** Merges two changes; `undefined` if the object was created and deleted without the handler knowing. */
function merge<T extends KubeObject>(first: Delta<T>, then: Delta<T>): Delta<T> | undefined {
  if (then.occasion.resync) return first;
  if (first.before === undefined && then.after === undefined) return undefined;
  const occasion = first.occasion.initial && then.occasion.initial ? first.occasion : then.occasion;
  if (then.after !== undefined) return { before: first.before, after: then.after, how: first.how, occasion };
  // If the handler knows the removed object, it gets the final state. Otherwise another object of the same name was
  // created and removed meanwhile: the handler gets the object that it knows.
  const known = first.before?.metadata?.uid === then.before?.metadata?.uid;
  return { before: known ? then.before : first.before, after: undefined, how: known ? then.how : first.how, occasion };
}
