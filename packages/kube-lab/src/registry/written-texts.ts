// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Objects of another version as texts: each stored object is converted and written once, however many clients read it. */
export function writtenTexts(toVersion: (object: JsonObject) => JsonObject): (stored: StoredObject) => string {
  const texts = new WeakMap<StoredObject, string>();
  return (stored) => {
    const known = texts.get(stored);
    if (known !== undefined) return known;
    const text = JSON.stringify(toVersion(stored.object));
    texts.set(stored, text);
    return text;
  };
}
