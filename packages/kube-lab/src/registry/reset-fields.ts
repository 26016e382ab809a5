// SPDX-License-Identifier: Apache-2.0
import { asObject, cloneJson, equalJson, type JsonObject } from '../json/json.ts';
import type { Strategy } from './strategy.ts';

/** `metadata` of a decoded object. */
export function metadataOf(object: JsonObject): JsonObject {
  return asObject(object['metadata']) ?? {};
}

/** Resets a field to its old value. */
export function keepField(target: JsonObject, source: JsonObject, key: string): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = source[key];
}

/** Resets the status: writes to the object itself do not change it. */
export function restoreStatus(object: JsonObject, old: JsonObject): void {
  keepField(object, old, 'status');
}

/** Increases the generation if the spec changed. */
export function raiseGeneration(object: JsonObject, old: JsonObject): void {
  if (equalJson(object['spec'], old['spec'])) return;
  const before = metadataOf(old)['generation'];
  metadataOf(object)['generation'] = typeof before === 'number' ? before + 1 : 1;
}

/**
 * What kinds with a spec and a status have in common: a generation, and a status that begins as `zeroStatus` and is
 * written through its subresource only.
 */
export function withStatus(zeroStatus: JsonObject) {
  return {
    prepareForCreate(object) {
      object['status'] = cloneJson(zeroStatus);
      metadataOf(object)['generation'] = 1;
    },
    prepareForUpdate(object, old) {
      restoreStatus(object, old);
      raiseGeneration(object, old);
    },
    prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
  } satisfies Strategy;
}
