// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';

/**
 * One version of one object in the store: parsed and deeply frozen, with its JSON text created on first use and shared
 * by every answer and watch.
 */
export class StoredObject {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  readonly key: string;
  /** The store's version of the write; equals `metadata.resourceVersion`. */
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

  /** Frees the memory of the text; it is created again if needed. */
  forgetText(): void {
    this.#text = undefined;
  }
}

/**
 * One committed change. `previous` is undefined for ADDED. For DELETED, `current` is the last state, with the version
 * of the deletion.
 */
export interface Change {
  readonly revision: number;
  readonly collection: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly current: StoredObject;
  readonly previous: StoredObject | undefined;
  /** Monotonic time of the commit, in milliseconds. */
  readonly time: number;
}
