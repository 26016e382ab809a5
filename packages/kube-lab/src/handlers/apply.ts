// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@etcd-operator/kube';
import { applyConfig } from '../apply/field-manager.ts';
import { MergeError } from '../apply/merge-values.ts';
import { asObject, cloneJson, isObject, type JsonObject } from '../json/json.ts';
import { ApiError, badRequest, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { isTrue } from '../server/request-info.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { invalidObject, required } from '../validation/field-error.ts';
import { objectAnswer } from './answer.ts';
import { ownershipRules, writerOf } from './field-tracking.ts';
import { decodeObject, metadataOf, parseYamlText } from './object-body.ts';
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
    return applied(call, config, current);
  });
  return objectAnswer(call, created ? 201 : 200, stored);
}

function readConfig(call: Call): JsonObject {
  const { resource, info, request } = call;
  const value = parseYamlText(request.body ?? '');
  const config = isObject(value) ? value : {};
  const expected = apiVersionOf(resource);
  const metadata = { ...asObject(config['metadata']) };
  if (config['apiVersion'] !== expected) {
    const why = `Specified patch version: ${String(config['apiVersion'] ?? '')}, expected: ${expected}`;
    throw badRequest(`Incorrect version specified in apply patch. ${why}`);
  }
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  if (metadata['name'] === undefined) metadata['name'] = info.name;
  if (resource.namespaced && metadata['namespace'] === undefined) metadata['namespace'] = info.namespace;
  return { ...config, metadata };
}

function applied(call: Call, config: JsonObject, current: StoredObject | undefined): JsonObject {
  const { codec } = call.resource;
  const live = current ? codec.toVersion(current.object) : codec.empty();
  try {
    const { object } = applyConfig(ownershipRules(call), live, config, writerOf(call), isTrue(call.query.get('force')));
    const { managedFields } = metadataOf(object);
    const next = decodeObject(call, cloneJson(object));
    if (managedFields !== undefined) metadataOf(next)['managedFields'] = managedFields;
    return next;
  } catch (error) {
    if (error instanceof MergeError) throw new ApiError(500, '', `failed to merge config: ${error.message}`);
    throw error;
  }
}
