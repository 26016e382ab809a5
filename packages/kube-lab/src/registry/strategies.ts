// SPDX-License-Identifier: Apache-2.0
import { asObject, equalJson, type JsonObject } from '../json/json.ts';
import type { Strategy } from './strategy.ts';

/** Kinds that are plain data: no field is reset, and there is no generation. */
export const dataStrategy: Strategy = { sharesUnchanged: true };

/** Kinds with `spec` and `status`: the status is a subresource, and a changed spec increases the generation. */
export const specStatusStrategy: Strategy = {
  prepareForCreate(object) {
    delete object['status'];
    metadata(object)['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    keep(object, old, 'status');
    raiseGeneration(object, old);
  },
  prepareForStatusUpdate(object, old) {
    const { status } = object;
    const own = metadata(object);
    const before = metadata(old);
    for (const key of Object.keys(object)) if (key !== 'status' && key !== 'metadata') keep(object, old, key);
    for (const key of Object.keys(old)) if (key !== 'status' && key !== 'metadata') keep(object, old, key);
    for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) keep(own, before, field);
    if (status !== undefined) object['status'] = status;
  },
};

function raiseGeneration(object: JsonObject, old: JsonObject): void {
  const content = ({ metadata: _metadata, status: _status, ...rest }: JsonObject) => rest;
  if (equalJson(content(object), content(old))) return;
  const before = metadata(old)['generation'];
  metadata(object)['generation'] = typeof before === 'number' ? before + 1 : 1;
}

function keep(target: JsonObject, source: JsonObject, key: string): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = source[key];
}

function metadata(object: JsonObject): JsonObject {
  return asObject(object['metadata']) ?? {};
}
