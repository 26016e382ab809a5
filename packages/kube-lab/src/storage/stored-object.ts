// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';

/**
 * One version of one object, as the store keeps it: parsed and deeply frozen, with its JSON text made once, when somebody
 * first asks, and shared by every answer and watch that needs it.
 */
export class StoredObject {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  readonly key: string;
  /** The store's version at which it was written; equals `metadata.resourceVersion`. */
  readonly revision: number;
  readonly object: JsonObject;
  #text: string | undefined;

  constructor(key: string, revision: number, object: JsonObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.object);
    return this.#text;
  }

  /** Gives the text's memory back; it is made again if needed. */
  forgetText(): void {
    this.#text = undefined;
  }
}

/** One committed change. `previous` is absent for ADDED; for DELETED `current` is the last state at the deletion's version. */
export interface Change {
  readonly revision: number;
  readonly collection: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly current: StoredObject;
  readonly previous: StoredObject | undefined;
  /** Monotonic time of the commit, in milliseconds. */
  readonly time: number;
}
