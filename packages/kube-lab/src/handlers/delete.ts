// SPDX-License-Identifier: Apache-2.0
import { admitMutating, admitValidating } from '../admission/admission.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { asArray, asNumber, cloneJson, type JsonObject } from '../json/json.ts';
import { timestampOf } from '../json/timestamp.ts';
import { storageKey } from '../registry/served-resource.ts';
import { selectionOf } from '../selectors/selection.ts';
import { ApiError, notFound } from '../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { StoreError } from '../storage/store-error.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { type DeleteOptions, readDeleteOptions } from './delete-options.ts';
import { metadataOf } from './object-body.ts';
import { listAnswer, objectAnswer } from './representation.ts';

/** DELETE of one object. */
export async function deleteObject(call: Call): Promise<ApiResponse> {
  const { core, resource, info } = call;
  const options = readDeleteOptions(call);
  const stored = core.store.get(resource.collection, storageKey(resource, info.namespace, info.name));
  if (!stored) throw notFound(resource, info.name);
  await admitDelete(call, stored, options);
  warnOfOrphans(call, options);
  const { gone, last } = removeObject(call, stored.key, options) ?? { gone: true, last: stored };
  if (gone && !resource.strategy.returnsDeleted) return jsonResponse(200, JSON.stringify(deletedStatus(call, last)));
  return objectAnswer(call, 200, last);
}

/** DELETE of a collection: each selected object separately. Answers with the list of them. */
export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const { core, resource } = call;
  const options = readDeleteOptions(call);
  const selection = selectionOf(call);
  const selected = core.store
    .list(resource.collection, selection.prefix)
    .filter((stored) => selection.matches(stored.object));
  for (const stored of selected) {
    await admitDelete(call, stored, options);
    removeObject(call, stored.key, options);
  }
  return listAnswer(call, selected, {
    resourceVersion: String(core.store.revision),
    ...(resource.custom ? { continue: '' } : {}),
  });
}

function warnOfOrphans(call: Call, { propagation }: DeleteOptions): void {
  const { orphanWarning } = call.resource.strategy;
  if (orphanWarning && propagation === undefined) call.warn(orphanWarning);
}

async function admitDelete(call: Call, stored: StoredObject, options: DeleteOptions): Promise<void> {
  const metadata = metadataOf(stored.object);
  const request: AdmissionRequest = {
    call,
    operation: 'DELETE',
    object: undefined,
    old: stored.object,
    namespace: String(metadata['namespace'] ?? ''),
    name: String(metadata['name']),
    dryRun: options.dryRun,
  };
  await admitMutating(request);
  await admitValidating(request);
}

/** The resource of the objects to be removed, and its server. */
type Place = Pick<Call, 'core' | 'resource'>;

/** The result: removed, or waiting for its grace period or finalizers. */
export interface Removed {
  readonly gone: boolean;
  readonly last: StoredObject;
}

/** Deletes one object as far as possible now. Undefined if it does not exist. */
export function removeObject(call: Place, key: string, options: DeleteOptions): Removed | undefined {
  const { core, resource } = call;
  for (;;) {
    const current = core.store.get(resource.collection, key);
    if (!current) return undefined;
    checkPreconditions(call, current, options);
    try {
      return removeOnce(call, current, options);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'Changed') throw error;
    }
  }
}

function removeOnce(call: Place, current: StoredObject, options: DeleteOptions): Removed {
  const { store } = call.core;
  const { collection } = call.resource;
  const step = nextStep(call, current, options);
  switch (step.kind) {
    case 'wait':
      return { gone: false, last: current };
    case 'mark': {
      if (options.dryRun)
        return { gone: !step.waits, last: new StoredObject(current.key, current.revision, step.next) };
      const marked = store.update(collection, current, step.next);
      if (step.waits) return { gone: false, last: marked };
      return { gone: true, last: store.delete(collection, marked) };
    }
    case 'delete':
      return { gone: true, last: options.dryRun ? current : store.delete(collection, current) };
  }
}

/**
 * What a DELETE does with an object.
 * - `wait`: nothing, because the object is being deleted already.
 * - `mark`: the object is marked as being deleted. Then it waits, or is removed at once.
 * - `delete`: the object is removed without a mark.
 */
type Step =
  | { readonly kind: 'wait' }
  | { readonly kind: 'mark'; readonly next: JsonObject; readonly waits: boolean }
  | { readonly kind: 'delete' };

function nextStep(call: Place, current: StoredObject, options: DeleteOptions): Step {
  const grace = graceStep(call, current.object, options);
  if (grace === 'pending') return { kind: 'wait' };
  const before = metadataOf(current.object);
  const finalizers = finalizersFor(call, asArray(before['finalizers']).map(String), options);
  const isHeld = call.resource.strategy.waitsFor?.(current.object) === true;
  const waits = isHeld || finalizers.length > 0 || (grace !== 'none' && grace.seconds > 0);
  if (grace === 'none' && !waits) return { kind: 'delete' };
  const isDeleting = before['deletionTimestamp'] !== undefined;
  if (grace === 'none' && isDeleting && sameFinalizers(before, finalizers)) return { kind: 'wait' };
  const next = markedForDeletion(call, current.object, finalizers, grace);
  if (!isDeleting) call.resource.strategy.prepareForDelete?.(next, call.core);
  return { kind: 'mark', next, waits };
}

function markedForDeletion(
  call: Place,
  object: JsonObject,
  finalizers: readonly string[],
  grace: Exclude<Grace, 'pending'>,
): JsonObject {
  const next = cloneJson(object);
  const metadata = metadataOf(next);
  const isDeleting = metadata['deletionTimestamp'] !== undefined;
  if (finalizers.length > 0) metadata['finalizers'] = [...finalizers];
  else delete metadata['finalizers'];
  if (grace !== 'none') {
    metadata['deletionTimestamp'] = timestampOf(grace.at);
    metadata['deletionGracePeriodSeconds'] = grace.seconds;
  } else if (!isDeleting) {
    metadata['deletionTimestamp'] = timestampOf(call.core.clock.now());
    if (!call.resource.strategy.waitsFor) metadata['deletionGracePeriodSeconds'] = 0;
  }
  const { generation } = metadata;
  if (!isDeleting && typeof generation === 'number' && generation > 0) metadata['generation'] = generation + 1;
  return next;
}

function sameFinalizers(before: JsonObject, finalizers: readonly string[]): boolean {
  return JSON.stringify(asArray(before['finalizers'])) === JSON.stringify(finalizers);
}

/**
 * `none`: no grace period applies. `pending`: the grace period has begun, and the request does not shorten it.
 * Otherwise: the new grace period and its end.
 */
type Grace = 'none' | 'pending' | { readonly seconds: number; readonly at: number };

function graceStep(call: Place, object: JsonObject, { gracePeriodSeconds }: DeleteOptions): Grace {
  const { strategy } = call.resource;
  if (!strategy.gracePeriod) return 'none';
  const now = call.core.clock.now();
  const metadata = metadataOf(object);
  const started = metadata['deletionTimestamp'];
  if (typeof started !== 'string') {
    const seconds = strategy.gracePeriod(object, gracePeriodSeconds);
    return { seconds, at: now + seconds * 1000 };
  }
  const left = asNumber(metadata['deletionGracePeriodSeconds']) ?? 0;
  if (left === 0) return 'none';
  if (gracePeriodSeconds === undefined || gracePeriodSeconds >= left) return 'pending';
  const at = Date.parse(started) + (gracePeriodSeconds - left) * 1000;
  if (at >= now) return { seconds: gracePeriodSeconds, at };
  // The shorter period would have ended already, so the shortest possible period begins now.
  return { seconds: gracePeriodSeconds === 0 ? 0 : 1, at: now };
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

function finalizersFor(call: Place, present: readonly string[], options: DeleteOptions): readonly string[] {
  const { defaultPropagation, cleanupFinalizer } = call.resource.strategy;
  if (defaultPropagation === 'unsupported') return present;
  const policy = options.propagation ?? propagationBy(present, defaultPropagation === 'orphan');
  const kept = present.filter((one) => one !== orphan && one !== foreground);
  if (cleanupFinalizer && !kept.includes(cleanupFinalizer)) kept.push(cleanupFinalizer);
  if (policy === 'Orphan') return present.includes(orphan) ? withoutOne(present, foreground) : [...kept, orphan];
  if (policy === 'Foreground')
    return present.includes(foreground) ? withoutOne(present, orphan) : [...kept, foreground];
  return kept;
}

/** The deletion policy from existing finalizers, or else from the kind. */
function propagationBy(present: readonly string[], orphans: boolean): DeleteOptions['propagation'] {
  if (present.includes(orphan)) return 'Orphan';
  if (present.includes(foreground)) return 'Foreground';
  return orphans ? 'Orphan' : undefined;
}

function withoutOne(present: readonly string[], finalizer: string): readonly string[] {
  return present.filter((one) => one !== finalizer);
}

function checkPreconditions(call: Place, current: StoredObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options;
  const actual = String(metadataOf(current.object)['uid']);
  if (uid !== undefined && uid !== actual) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${actual})`;
    throw preconditionConflict(call, current, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(current.revision)) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.revision})`;
    throw preconditionConflict(call, current, `${why}. The object might have been modified`);
  }
}

/** As from the real server, the message names the kind, not the resource. */
function preconditionConflict({ resource }: Place, current: StoredObject, why: string): ApiError {
  const name = String(metadataOf(current.object)['name']);
  const { group, kind } = resource;
  const message = `Operation cannot be fulfilled on ${group ? `${kind}.${group}` : kind} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, { name, ...(group ? { group } : {}), kind });
}

function deletedStatus(call: Call, last: StoredObject): JsonObject {
  const { resource, info } = call;
  const details = {
    name: info.name,
    ...(resource.group ? { group: resource.group } : {}),
    kind: resource.plural,
    uid: metadataOf(last.object)['uid'] ?? null,
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
