// SPDX-License-Identifier: Apache-2.0
import { cloneJson, isObject, type Json, type JsonObject } from '../json/json.ts';
import { ApiError, badRequest, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectAnswer } from './answer.ts';
import { decodeObject, mediaType, parseJsonText } from './object-body.ts';
import { writeObject } from './update.ts';

/** PATCH of one object or of its status. */
export async function patchObject(call: Call): Promise<ApiResponse> {
  const { resource, info } = call;
  const patch = parseJsonText(call.request.body ?? '');
  const apply = patchFunction(call, patch);
  const { stored, created } = await writeObject(call, (current) => {
    if (!current) throw notFound(resource, info.name);
    return patched(call, current, apply);
  });
  return objectAnswer(call, created ? 201 : 200, stored);
}

function patched(call: Call, current: StoredObject, apply: (target: Json) => Json): JsonObject {
  const target = call.resource.codec.toVersion(current.object);
  return decodeObject(call, apply(cloneJson(target)));
}

function patchFunction(call: Call, patch: Json): (target: Json) => Json {
  const type = mediaType(call);
  switch (type) {
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
      return (target) => mergePatch(target, patch);
    default:
      throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const base: JsonObject = isObject(target) ? target : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key === '__proto__') throw badRequest('a patch must not name __proto__');
    if (value === null || value === undefined) delete base[key];
    else base[key] = mergePatch(base[key] ?? null, value);
  }
  return base;
}
