// SPDX-License-Identifier: Apache-2.0
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation } from '@operator-parts/kube';
import type { ScalePaths } from '../crd/scale.ts';
import { asNumber, asObject, asString, cloneJson, getIn, isObject, type Json, type JsonObject } from '../json/json.ts';
import { selectPath } from '../json/json-path.ts';
import { storageKey } from '../registry/served-resource.ts';
import { selectorText } from '../selectors/selector-text.ts';
import { ApiError, badRequest, internalError, methodNotAllowed, notFound } from '../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { invalid, invalidObject } from '../validation/field-error.ts';
import { trackFields } from './field-tracking.ts';
import { mediaType, metadataOf, parseJsonText } from './object-body.ts';
import { writeObject } from './update.ts';

/** The `scale` subresource: reads and sets the number of replicas, whatever the kind. */
export async function serveScale(call: Call, paths: ScalePaths): Promise<ApiResponse> {
  const { info, resource, core } = call;
  if (info.verb === 'get') {
    const stored = core.store.get(resource.collection, storageKey(resource, info.namespace, info.name));
    if (!stored) throw notFound(resource, info.name);
    return answer(call, paths, stored);
  }
  if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed();
  const { stored } = await writeObject(call, (current) => {
    if (!current) throw notFound(resource, info.name);
    return scaled(call, paths, current);
  });
  return answer(call, paths, stored);
}

function answer(call: Call, paths: ScalePaths, stored: StoredObject): ApiResponse {
  const object = call.resource.codec.toVersion(stored.object);
  return jsonResponse(200, JSON.stringify(scaleOf(call, paths, object, true)));
}

function scaleOf(call: Call, paths: ScalePaths, object: JsonObject, strict: boolean): JsonObject {
  const metadata = metadataOf(object);
  const [replicas] = selectPath(object, paths.specReplicasPath);
  if (replicas === undefined && strict && call.resource.custom) {
    throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  }
  const selector = selectorOf(paths, object);
  const kept: JsonObject = {};
  for (const key of ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']) {
    if (metadata[key] !== undefined) kept[key] = metadata[key];
  }
  const count = asNumber(replicas) ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: kept,
    spec: count === 0 ? {} : { replicas: count },
    status: {
      replicas: asNumber(selectPath(object, paths.statusReplicasPath)[0]) ?? 0,
      ...(selector ? { selector } : {}),
    },
  };
}

function selectorOf(paths: ScalePaths, object: JsonObject): string {
  if (paths.labelSelectorPath) return asString(selectPath(object, paths.labelSelectorPath)[0]) ?? '';
  return selectorText(asObject(getIn(object, 'spec', 'selector')) ?? {});
}

function scaled(call: Call, paths: ScalePaths, current: StoredObject): JsonObject {
  const { resource, info } = call;
  const object = resource.codec.toVersion(current.object);
  const wanted = requested(call, scaleOf(call, paths, object, false));
  const metadata = metadataOf(wanted);
  if (metadata['name'] !== undefined && metadata['name'] !== info.name) {
    throw badRequest(
      `the name of the object (${String(metadata['name'])}) does not match the name on the URL (${info.name})`,
    );
  }
  const replicas = asNumber(getIn(wanted, 'spec', 'replicas')) ?? 0;
  if (replicas < 0) {
    const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, info.name, [error]);
  }
  const next = cloneJson(object);
  setPath(next, paths.specReplicasPath, replicas);
  const version = metadata['resourceVersion'];
  metadataOf(next)['resourceVersion'] = typeof version === 'string' ? version : String(current.revision);
  // The real server does not track fields that are changed through `scale` of custom resources.
  if (!resource.custom) trackFields(call, current.object, next);
  return resource.codec.decode(next).object;
}

function requested(call: Call, present: JsonObject): JsonObject {
  const body = parseJsonText(call.request.body ?? '');
  const value: Json = call.info.verb === 'patch' ? patched(call, present, body) : body;
  if (!isObject(value)) throw badRequest('the body of the request must be a Scale');
  const { kind, apiVersion } = value;
  if ((kind && kind !== 'Scale') || (apiVersion && apiVersion !== 'autoscaling/v1')) {
    throw badRequest(`${String(kind)} in version "${String(apiVersion)}" cannot be handled as a Scale`);
  }
  return value;
}

function patched(call: Call, present: JsonObject, patch: Json): Json {
  switch (mediaType(call)) {
    case 'application/json-patch+json':
      return applyJsonPatch<Json>(present, patch as unknown as readonly JsonPatchOperation[]);
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
      return applyMergePatch<Json>(present, patch);
    default:
      throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

function setPath(object: JsonObject, path: string, value: Json): void {
  const keys = path.slice(1).split('.');
  const last = keys.pop() ?? '';
  let target = object;
  for (const key of keys) {
    const below = asObject(target[key]) ?? {};
    target[key] = below;
    target = below;
  }
  target[last] = value;
}
