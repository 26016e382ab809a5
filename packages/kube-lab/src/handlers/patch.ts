// SPDX-License-Identifier: Apache-2.0
import {
  apiVersionOf,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  type JsonPatchOperation,
  PatchError,
  patchSchemaOf,
} from '@operator-parts/kube';
import { goPlain } from '../json/go-format.ts';
import { asObject, isObject, type Json, type JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { DecodeError } from '../schema/decode-context.ts';
import { ApiError, badRequest, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { forbiddenField, invalid, invalidObject } from '../validation/field-error.ts';
import { applyObject } from './apply.ts';
import { trackFields } from './field-tracking.ts';
import { checkName, kindProblem, mediaType, parseJsonText, placePatched } from './object-body.ts';
import { objectAnswer } from './representation.ts';
import { strategicProblem } from './strategic-check.ts';
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
    checkName(call, next);
    trackFields(call, current.object, next);
    return next;
  });
  return objectAnswer(call, 200, stored);
}

interface PatchFunction {
  /** True for strategic merge patches, whose errors have other messages. */
  readonly isStrategic?: boolean;
  /** Why the patch cannot be applied to any object. */
  readonly refusal?: string | undefined;
  apply(target: Json): Json;
  /** Which object a refusal shows: the patched object, or the patch. */
  show(result: Json): string;
}

function patched(call: Call, current: StoredObject, patch: PatchFunction): JsonObject {
  const result = applyOrRefuse(patch, call.resource.codec.toVersion(current.object));
  const refuse = (why: string) =>
    invalidObject({ group: '', kind: '' }, '', [invalid('patch', patch.show(result), why)]);
  const problem = kindProblem(call, result);
  if (problem) throw refuse(problem.why);
  try {
    const { object, strictErrors } = call.resource.codec.decode(result, current.object);
    return placePatched(call, object, strictErrors, refuse);
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(patch.isStrategic ? conversionText(error.message) : error.message);
    throw error;
  }
}

/** A strategic merge patch is converted without JSON, so the same error has another message. */
function conversionText(message: string): string {
  const match = /^json: cannot unmarshal (\w+)(?: \S+)? into Go struct field \S+ of type (\S+)$/.exec(message);
  if (!match) return message;
  const [, from = '', to = ''] = match;
  const names: Readonly<Record<string, string>> = { number: 'int64', bool: 'bool', string: 'string' };
  return `cannot convert ${names[from] ?? from} to ${to}`;
}

function applyOrRefuse(patch: PatchFunction, target: Json): Json {
  if (patch.refusal !== undefined) throw new ApiError(500, '', patch.refusal);
  try {
    return patch.apply(target);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (patch.isStrategic) throw new ApiError(500, '', error.message);
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  }
}

function patchFunction(call: Call, type: string): PatchFunction {
  const text = call.request.body ?? '';
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(text);
    case 'application/merge-patch+json': {
      const patch = parsePatch(text, 'error decoding patch: ', isObject, 'map[string]interface {}');
      return { apply: (target) => applyMergePatch(target, patch), show: (result) => JSON.stringify(result) };
    }
    case 'application/strategic-merge-patch+json':
      return strategicPatch(call, text);
    default:
      throw unsupportedPatchType(call.resource);
  }
}

const maxOperations = 10_000;

function jsonPatch(text: string): PatchFunction {
  const parsed = parsePatch(text, 'error decoding patch: ', Array.isArray, '[]handlers.jsonPatchOp');
  const operations = parsed as unknown as readonly JsonPatchOperation[];
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw new ApiError(413, 'RequestEntityTooLarge', message);
  }
  return { apply: (target) => applyJsonPatch(target, operations), show: (result) => JSON.stringify(result) };
}

function strategicPatch({ resource }: Call, text: string): PatchFunction {
  const schema = patchSchemaOf(apiVersionOf(resource), resource.kind);
  if (resource.custom || !schema) throw unsupportedPatchType(resource);
  const patch = parsePatch(text, '', isObject, 'map[string]interface {}');
  const problem = strategicProblem(asObject(patch) ?? {}, schema);
  const typeMeta = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  return {
    isStrategic: true,
    refusal: problem,
    apply: (target) => ({ ...(applyStrategicPatch(target, patch, schema) as JsonObject), ...typeMeta }),
    show: () => goPlain(patch),
  };
}

function parsePatch(text: string, prefix: string, fits: (value: unknown) => boolean, goType: string): Json {
  let patch: Json;
  try {
    patch = parseJsonText(text);
  } catch (error) {
    throw badRequest(`${prefix}${(error as Error).message}`);
  }
  if (fits(patch)) return patch;
  const kind = Array.isArray(patch) ? 'array' : patch === null ? 'null' : typeof patch;
  throw badRequest(`${prefix}json: cannot unmarshal ${kind} into Go value of type ${goType}`);
}

const customPatchTypes = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

function unsupportedPatchType({ custom }: ServedResource): ApiError {
  if (!custom) return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const message = `the body of the request was in an unknown format - accepted media types include: ${customPatchTypes}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}
