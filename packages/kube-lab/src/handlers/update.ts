// SPDX-License-Identifier: Apache-2.0
import { admitMutating, admitValidating } from '../admission/admission.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { equalButForTimes } from '../apply/managed-fields.ts';
import { asArray, equalJson, type JsonObject } from '../json/json.ts';
import { storageKey } from '../registry/served-resource.ts';
import { ApiError, conflict, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { StoreError } from '../storage/store-error.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { type FieldError, invalid, invalidObject } from '../validation/field-error.ts';
import { finalizerWarnings, validateObjectMetaUpdate } from '../validation/object-meta.ts';
import { createFrom, refuseIfInvalid } from './create.ts';
import { trackFields } from './field-tracking.ts';
import { checkName, metadataOf, readObjectBody } from './object-body.ts';
import { objectAnswer } from './representation.ts';
import { isDryRun } from './write-options.ts';

/** The result of a write and whether it created the object. */
export interface Written {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** PUT of one object or of its status. */
export async function replaceObject(call: Call): Promise<ApiResponse> {
  const { info, resource } = call;
  const body = readObjectBody(call);
  checkName(call, body);
  const { uid } = metadataOf(body);
  let isFirst = true;
  const { stored, created } = await writeObject(call, (current) => {
    if (!current && !resource.strategy.allowCreateOnUpdate) throw notFound(resource, info.name);
    if (uid) checkUid(call, current, String(uid));
    // An attempt modifies its object: a retry decodes the body again, without repeating its warnings.
    const next = isFirst ? body : readObjectBody({ ...call, warn: () => undefined });
    isFirst = false;
    if (current && resource.strategy.sharesUnchanged) shareUnchanged(next, current.object);
    trackFields(call, current?.object, next);
    return next;
  });
  return objectAnswer(call, created ? 201 : 200, stored);
}

/**
 * Takes equal fields from the stored object. Later steps then need not compare them, and no memory is used for copies.
 */
function shareUnchanged(next: JsonObject, current: JsonObject): void {
  for (const key in current) {
    if (key !== 'metadata' && next[key] !== undefined && equalJson(next[key], current[key])) next[key] = current[key];
  }
}

/**
 * Reads the object, lets `compute` create the next version, and writes it. If another client has written in between,
 * this is repeated; but if the next version names a resourceVersion, it is a conflict.
 */
export async function writeObject(
  call: Call,
  compute: (current: StoredObject | undefined) => JsonObject | Promise<JsonObject>,
): Promise<Written> {
  const { core, resource, info } = call;
  const key = storageKey(resource, info.namespace, info.name);
  for (;;) {
    const current = core.store.get(resource.collection, key);
    const next = await compute(current);
    if (!current) return { stored: await createFrom(call, next), created: true };
    checkPreconditions(call, current, next);
    const request: AdmissionRequest = {
      call,
      operation: 'UPDATE',
      object: next,
      old: current.object,
      namespace: info.namespace,
      name: info.name,
      dryRun: isDryRun(call),
    };
    await admitMutating(request);
    prepareUpdate(call, current.object, next);
    refuseIfInvalid(call, next, validateUpdate(call, next, current.object));
    if (resource.strategy.anyFinalizer) for (const text of finalizerWarnings(next, current.object)) call.warn(text);
    await admitValidating(request);
    try {
      return { stored: commitUpdate(call, current, next), created: false };
    } catch (error) {
      if (error instanceof StoreError && error.code === 'Changed') continue;
      throw error;
    }
  }
}

/** Refuses a UID that is not the UID of the object. An object that does not exist has none, so no UID matches. */
function checkUid({ resource, info }: Call, current: StoredObject | undefined, expected: string): void {
  const uid = current ? String(metadataOf(current.object)['uid']) : '';
  if (expected === uid) return;
  const key = `/registry/${resource.plural}/${storageKey(resource, info.namespace, info.name)}`;
  const details = `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${uid}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${details}`;
  throw conflict(resource, info.name, why);
}

function checkPreconditions(call: Call, current: StoredObject, next: JsonObject): void {
  const { resource, info } = call;
  const metadata = metadataOf(next);
  const { resourceVersion } = metadata;
  if (!resourceVersion && resource.strategy.allowUnconditionalUpdate === false) {
    const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalidObject({ group: resource.group, kind: resource.plural }, info.name, [error]);
  }
  if (resourceVersion && !/^\d+$/.test(String(resourceVersion))) {
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion && resourceVersion !== String(current.revision)) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict(resource, info.name, why);
  }
}

/** Metadata that a client may leave out is taken from the stored object; metadata that it must not set is reset. */
function prepareUpdate(call: Call, old: JsonObject, next: JsonObject): void {
  const before = metadataOf(old);
  const now = metadataOf(next);
  for (const field of ['uid', 'deletionGracePeriodSeconds']) now[field] ??= before[field];
  now['creationTimestamp'] = before['creationTimestamp'];
  if (before['deletionTimestamp'] !== undefined) now['deletionTimestamp'] = before['deletionTimestamp'];
  now['generation'] = before['generation'];
  for (const field of ['selfLink', 'resourceVersion']) delete now[field];
  for (const field of ['creationTimestamp', 'deletionGracePeriodSeconds', 'generation']) {
    if (now[field] === undefined || now[field] === null) delete now[field];
  }
  const { strategy } = call.resource;
  const { subresource } = call.info;
  if (subresource === 'status') strategy.prepareForStatusUpdate?.(next, old, call);
  else if (isOther(subresource)) strategy.prepareForSubresource?.(subresource, next, old);
  else strategy.prepareForUpdate?.(next, old, call);
}

function validateUpdate(call: Call, next: JsonObject, old: JsonObject): readonly FieldError[] {
  const { strategy } = call.resource;
  const own = ownErrors(call, next, old);
  // The real server validates metadata once for all kinds and once more for each kind, so each error appears twice.
  const metadata = validateObjectMetaUpdate(next, old, strategy);
  return [...metadata, ...metadata, ...(own ?? [])];
}

/** True for subresources with rules of their own, such as `resize` of pods. */
function isOther(subresource: string): boolean {
  return subresource !== '' && subresource !== 'status' && subresource !== 'scale';
}

function ownErrors(call: Call, next: JsonObject, old: JsonObject): readonly FieldError[] | undefined {
  const { strategy } = call.resource;
  const { subresource } = call.info;
  if (subresource === 'status') return strategy.validateStatusUpdate?.(next, old, call);
  if (isOther(subresource)) return strategy.validateSubresource?.(subresource, next, old);
  return strategy.validateUpdate?.(next, old, call);
}

function commitUpdate(call: Call, current: StoredObject, next: JsonObject): StoredObject {
  const { core, resource } = call;
  const metadata = metadataOf(next);
  metadata['resourceVersion'] = String(current.revision);
  if (equalButForTimes(next, current.object)) return current;
  resource.convertAll?.(next);
  if (isDryRun(call)) return new StoredObject(current.key, current.revision, next);
  if (isReleased(metadata) && !resource.strategy.waitsFor?.(next)) {
    core.store.delete(resource.collection, current);
    return new StoredObject(current.key, current.revision, next);
  }
  return core.store.update(resource.collection, current, next);
}

/** True if nothing blocks the removal: being deleted, no finalizers, no grace period left. */
function isReleased(metadata: JsonObject): boolean {
  if (metadata['deletionTimestamp'] === undefined) return false;
  return asArray(metadata['finalizers']).length === 0 && !metadata['deletionGracePeriodSeconds'];
}
