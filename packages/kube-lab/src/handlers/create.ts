// SPDX-License-Identifier: Apache-2.0
import { admitMutating, admitValidating } from '../admission/admission.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { JsonObject } from '../json/json.ts';
import { timestamp } from '../json/timestamp.ts';
import { storageKey } from '../registry/served-resource.ts';
import { ApiError, alreadyExists, forbidden, methodNotAllowed } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { StoreError } from '../storage/store-error.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { type FieldError, invalidObject } from '../validation/field-error.ts';
import { finalizerWarnings, validateObjectMeta } from '../validation/object-meta.ts';
import { trackFields } from './field-tracking.ts';
import { generatedName } from './generate-name.ts';
import { metadataOf, readObjectBody } from './object-body.ts';
import { objectAnswer } from './representation.ts';
import { isDryRun } from './write-options.ts';

/** POST to a collection. */
export async function createObject(call: Call): Promise<ApiResponse> {
  if (call.info.name !== '') throw methodNotAllowed();
  const object = readObjectBody(call);
  trackFields(call, undefined, object);
  const stored = await createFrom(call, object);
  return objectAnswer(call, 201, stored);
}

/** Stores `object`, which it may modify, as a new object. */
export async function createFrom(call: Call, object: JsonObject): Promise<StoredObject> {
  const metadata = metadataOf(object);
  if (call.resource.terminating) {
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(call.resource, String(metadata['name'] ?? ''), why);
  }
  if (metadata['resourceVersion']) {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  nameObject(call, metadata);
  const request: AdmissionRequest = {
    call,
    operation: 'CREATE',
    object,
    old: undefined,
    namespace: String(metadata['namespace'] ?? ''),
    name: String(metadata['name'] ?? ''),
    dryRun: isDryRun(call),
  };
  await admitMutating(request);
  prepare(call, object);
  refuseIfInvalid(call, object, validateNew(call, object));
  if (call.resource.strategy.anyFinalizer) for (const text of finalizerWarnings(object, undefined)) call.warn(text);
  await admitValidating(request);
  const { name, namespace } = metadataOf(object);
  return storeNew(call, String(namespace ?? ''), String(name), object);
}

function storeNew(call: Call, namespace: string, name: string, object: JsonObject): StoredObject {
  const key = storageKey(call.resource, namespace, name);
  call.resource.convertAll?.(object);
  if (isDryRun(call)) return pretendCreate(call, key, name, object);
  try {
    return call.core.store.create(call.resource.collection, key, object);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'Exists')
      throw existing(call, key, name, Boolean(metadataOf(object)['generateName']));
    throw error;
  }
}

function pretendCreate(call: Call, key: string, name: string, object: JsonObject): StoredObject {
  const { store } = call.core;
  if (store.get(call.resource.collection, key))
    throw existing(call, key, name, Boolean(metadataOf(object)['generateName']));
  return new StoredObject(key, 0, object);
}

function existing({ core, resource }: Call, key: string, name: string, generated: boolean): ApiError {
  const present = core.store.get(resource.collection, key);
  const isDeleting = present && metadataOf(present.object)['deletionTimestamp'] !== undefined;
  const error = alreadyExists(resource, name);
  if (generated) {
    const message = `${error.message}, the server was not able to generate a unique name for the object`;
    return new ApiError(error.code, error.reason, message, { ...error.details, retryAfterSeconds: 1 });
  }
  if (!isDeleting) return error;
  return new ApiError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
}

function nameObject({ core }: Call, metadata: JsonObject): void {
  if (!metadata['name'] && typeof metadata['generateName'] === 'string' && metadata['generateName'] !== '') {
    metadata['name'] = generatedName(metadata['generateName'], core.random);
  }
}

function prepare(call: Call, object: JsonObject): void {
  const metadata = metadataOf(object);
  const { clock, random } = call.core;
  for (const field of [
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'selfLink',
    'resourceVersion',
    'generation',
  ]) {
    delete metadata[field];
  }
  metadata['uid'] = random.uuid();
  metadata['creationTimestamp'] = timestamp(clock);
  call.resource.strategy.prepareForCreate?.(object, call);
}

function validateNew(call: Call, object: JsonObject): readonly FieldError[] {
  const { resource } = call;
  return [...validateObjectMeta(object, resource), ...(resource.strategy.validate?.(object, call) ?? [])];
}

/** Throws 422 if there are errors. */
export function refuseIfInvalid({ resource }: Call, object: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const group = resource.strategy.errorGroup ?? resource.group;
  throw invalidObject({ group, kind: resource.kind }, String(metadataOf(object)['name'] ?? ''), errors);
}
