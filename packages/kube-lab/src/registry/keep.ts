// SPDX-License-Identifier: Apache-2.0
import { asObject, equalJson, type JsonObject } from '../json/json.ts';

/** `metadata` of an object that has gone through its codec. */
export function metadataOf(object: JsonObject): JsonObject {
  return asObject(object['metadata']) ?? {};
}

/** Puts a field back to what it was. */
export function keepField(target: JsonObject, source: JsonObject, key: string): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = source[key];
}

/** Puts the status back: writes of the object itself do not touch it. */
export function restoreStatus(object: JsonObject, old: JsonObject): void {
  keepField(object, old, 'status');
}

/** Counts a change of the spec. */
export function raiseGeneration(object: JsonObject, old: JsonObject): void {
  if (equalJson(object['spec'], old['spec'])) return;
  const before = metadataOf(old)['generation'];
  metadataOf(object)['generation'] = typeof before === 'number' ? before + 1 : 1;
}
