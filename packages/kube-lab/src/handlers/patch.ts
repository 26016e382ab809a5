// SPDX-License-Identifier: Apache-2.0
import {
  apiVersionOf,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  type JsonPatchOperation,
  PatchError,
  patchSchemaOf,
} from '@etcd-operator/kube';
import type { Json, JsonObject } from '../json/json.ts';
import { DecodeError } from '../schema/decode-context.ts';
import { ApiError, badRequest, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { forbiddenField, invalid, invalidObject } from '../validation/field-error.ts';
import { objectAnswer } from './answer.ts';
import { applyObject } from './apply.ts';
import { trackFields } from './field-tracking.ts';
import { mediaType, parseJsonText, placePatched } from './object-body.ts';
import { writeObject } from './update.ts';

/** PATCH of one object or of its status. */
export async function patchObject(call: Call): Promise<ApiResponse> {
  const { resource, info, query } = call;
  const type = mediaType(call);
  if (type === 'application/apply-patch+yaml') return applyObject(call);
  const apply = patchFunction(call, type);
  if (query.get('force') !== null) {
    const error = forbiddenField('force', 'may not be specified for non-apply patch');
    throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [error]);
  }
  const { stored } = await writeObject(call, (current) => {
    if (!current) throw notFound(resource, info.name);
    const next = patched(call, current, apply);
    trackFields(call, current.object, next);
    return next;
  });
  return objectAnswer(call, 200, stored);
}

function patched(call: Call, current: StoredObject, apply: (target: Json) => Json): JsonObject {
  const result = applyOrRefuse(apply, call.resource.codec.toVersion(current.object));
  try {
    const { object, strictErrors } = call.resource.codec.decode(result);
    return placePatched(call, object, strictErrors, (why) => patchInvalid(result, why));
  } catch (error) {
    if (error instanceof DecodeError) throw patchInvalid(result, error.message);
    throw error;
  }
}

/** 422 about the patched object as a whole; the real server names no kind here. */
function patchInvalid(result: Json, why: string): ApiError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', JSON.stringify(result), why)]);
}

function applyOrRefuse(apply: (target: Json) => Json, target: Json): Json {
  try {
    return apply(target);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.code === 'Malformed') throw badRequest(error.message);
    throw new ApiError(422, 'Invalid', `the server rejected our request due to an error in our request`, {
      causes: [{ message: error.message }],
    });
  }
}

function patchFunction(call: Call, type: string): (target: Json) => Json {
  const { resource, request } = call;
  switch (type) {
    case 'application/json-patch+json': {
      const operations = parseJsonText(request.body ?? '') as unknown as readonly JsonPatchOperation[];
      return (target) => applyJsonPatch(target, operations);
    }
    case 'application/merge-patch+json': {
      const patch = parseJsonText(request.body ?? '');
      return (target) => applyMergePatch(target, patch);
    }
    case 'application/strategic-merge-patch+json': {
      const schema = patchSchemaOf(apiVersionOf(resource), resource.kind);
      if (resource.custom || !schema) throw unsupportedPatchType();
      const patch = parseJsonText(request.body ?? '');
      return (target) => applyStrategicPatch(target, patch, schema);
    }
    default:
      throw unsupportedPatchType();
  }
}

function unsupportedPatchType(): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}
