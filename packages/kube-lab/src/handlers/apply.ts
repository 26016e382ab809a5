// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { applyAfterClient } from '../apply/last-applied.ts';
import { typedErrors } from '../apply/validate-typed.ts';
import { asObject, cloneJson, isObject, type JsonObject } from '../json/json.ts';
import { parseApiVersion } from '../registry/api-version.ts';
import { ApiError, badRequest, conflict, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { isTrue } from '../server/request-info.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { invalidObject, required } from '../validation/field-error.ts';
import { ownershipRules, writerOf } from './field-tracking.ts';
import { checkName, decodeObject, metadataOf, parseYamlText } from './object-body.ts';
import { objectAnswer } from './representation.ts';
import { writeObject } from './update.ts';

/** PATCH with `application/apply-patch+yaml`: server-side apply. */
export async function applyObject(call: Call): Promise<ApiResponse> {
  const { query, info, resource } = call;
  if (!query.get('fieldManager')) {
    const error = required('fieldManager', 'is required for apply patch');
    throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [error]);
  }
  const config = readConfig(call);
  const { stored, created } = await writeObject(call, (current) => {
    if (!current && info.subresource !== '') throw notFound(resource, info.name);
    if (!current) refuseUid(call, config);
    return applied(call, config, current);
  });
  return objectAnswer(call, created ? 201 : 200, stored);
}

/** Refuses a UID in an apply that would create the object: a UID means that the object must exist already. */
function refuseUid({ resource, info }: Call, config: JsonObject): void {
  const uid = asObject(config['metadata'])?.['uid'];
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`;
  throw conflict(resource, info.name, why);
}

function readConfig(call: Call): JsonObject {
  const { resource, request } = call;
  const config = parseYamlText(request.body ?? '');
  if (!isObject(config)) {
    const kind = Array.isArray(config) ? 'array' : typeof config;
    const why = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const { group, version } = parseApiVersion(String(config['apiVersion'] ?? ''));
  if (config['apiVersion'] !== apiVersionOf(resource) || config['kind'] !== resource.kind) {
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${String(config['kind'] ?? '')}`);
  }
  const metadata = { ...asObject(config['metadata']) };
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const errors = typedErrors(resource.fieldType, config);
  if (errors.length > 0) throw untyped(config, errors);
  return { ...config, metadata };
}

function untyped(config: JsonObject, errors: readonly string[]): ApiError {
  const { group, version } = parseApiVersion(String(config['apiVersion']));
  const metadata = asObject(config['metadata']) ?? {};
  const name = `${String(metadata['namespace'] ?? '')}/${String(metadata['name'] ?? '')}`;
  const which = `${name}; ${group}/${version}, Kind=${String(config['kind'])}`;
  const what = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;
  return new ApiError(500, '', `failed to create typed patch object (${which}): ${what}`);
}

function applied(call: Call, config: JsonObject, current: StoredObject | undefined): JsonObject {
  const { codec } = call.resource;
  const live = current ? codec.toVersion(current.object) : codec.empty();
  const { object } = applyAfterClient(
    ownershipRules(call),
    live,
    codec.empty(),
    config,
    writerOf(call),
    isTrue(call.query.get('force')),
  );
  const { managedFields } = metadataOf(object);
  const next = decodeObject(call, cloneJson(object));
  if (managedFields !== undefined) metadataOf(next)['managedFields'] = managedFields;
  checkName(call, next);
  return next;
}
