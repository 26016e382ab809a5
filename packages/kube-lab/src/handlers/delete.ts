// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, cloneJson, isObject, type JsonObject } from '../json/json.ts';
import { timestampOf } from '../json/timestamp.ts';
import { listItemText, storageKey } from '../registry/served-resource.ts';
import { selectionOf } from '../selectors/selection.ts';
import { conflict, notFound } from '../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { StoreError } from '../storage/store-error.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { objectAnswer } from './answer.ts';
import { isDryRun } from './create.ts';
import { metadataOf, parseJsonText } from './object-body.ts';

/** `DeleteOptions`, from the body or the query. */
interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

/** DELETE of one object. */
export function deleteObject(call: Call): ApiResponse {
  const { core, resource, info } = call;
  const options = readOptions(call);
  const key = storageKey(resource, info.namespace, info.name);
  for (;;) {
    const current = core.store.get(resource.collection, key);
    if (!current) throw notFound(resource, info.name);
    checkPreconditions(call, current, options);
    const outcome = removeOnce(call, current, options);
    if (outcome === 'again') continue;
    if (outcome.gone) return jsonResponse(200, JSON.stringify(deletedStatus(call, current)));
    return objectAnswer(call, 200, outcome.stored);
  }
}

/** DELETE of a collection: each selected object as by itself. Answers with the list of what was there. */
export function deleteCollection(call: Call): ApiResponse {
  const { core, resource } = call;
  const options = readOptions(call);
  const selection = selectionOf(call);
  const selected = core.store
    .list(resource.collection, selection.prefix)
    .filter((stored) => selection.matches(stored.object));
  for (const { key } of selected) {
    for (let done = false; !done; ) {
      const current = core.store.get(resource.collection, key);
      done = !current || removeOnce(call, current, options) !== 'again';
    }
  }
  const items = selected.map((stored) => listItemText(resource, stored)).join(',');
  const apiVersion = resource.group ? `${resource.group}/${resource.version}` : resource.version;
  const metadata = JSON.stringify({ resourceVersion: String(core.store.revision) });
  return jsonResponse(
    200,
    `{"kind":"${resource.listKind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":[${items}]}\n`,
  );
}

type Outcome = 'again' | { readonly gone: true } | { readonly gone: false; readonly stored: StoredObject };

function removeOnce(call: Call, current: StoredObject, options: DeleteOptions): Outcome {
  const { core, resource } = call;
  const next = marked(call, current, options);
  try {
    if (!next) {
      if (!options.dryRun) core.store.delete(resource.collection, current);
      return { gone: true };
    }
    if (next === current.object) return { gone: false, stored: current };
    if (options.dryRun) return { gone: false, stored: new StoredObject(current.key, current.revision, next) };
    return { gone: false, stored: core.store.update(resource.collection, current, next) };
  } catch (error) {
    if (error instanceof StoreError && error.code === 'Changed') return 'again';
    throw error;
  }
}

/** The object as it looks while it waits to go; undefined if it need not wait. */
function marked(call: Call, current: StoredObject, options: DeleteOptions): JsonObject | undefined {
  const { clock } = call.core;
  const before = metadataOf(current.object);
  const finalizers = finalizersFor(asArray(before['finalizers']).map(String), options);
  const grace = call.resource.strategy.gracePeriod?.(current.object, options.gracePeriodSeconds) ?? 0;
  const remaining = before['deletionGracePeriodSeconds'];
  const shortest = typeof remaining === 'number' ? Math.min(remaining, grace) : grace;
  if (finalizers.length === 0 && shortest <= 0) return undefined;
  const unchanged = finalizers.length === asArray(before['finalizers']).length && shortest === remaining;
  if (before['deletionTimestamp'] !== undefined && unchanged) return current.object;
  const next = cloneJson(current.object);
  const metadata = metadataOf(next);
  if (before['deletionTimestamp'] === undefined || shortest !== remaining) {
    metadata['deletionTimestamp'] = timestampOf(clock.now() + shortest * 1000);
    metadata['deletionGracePeriodSeconds'] = shortest;
  }
  if (typeof metadata['generation'] === 'number' && before['deletionTimestamp'] === undefined) metadata['generation']++;
  if (finalizers.length > 0) metadata['finalizers'] = finalizers;
  return next;
}

const propagationFinalizers: Readonly<Record<string, string>> = { Orphan: 'orphan', Foreground: 'foregroundDeletion' };

function finalizersFor(present: readonly string[], options: DeleteOptions): string[] {
  const policy = options.propagationPolicy;
  if (policy === undefined) return [...present];
  const kept = present.filter((one) => !Object.values(propagationFinalizers).includes(one));
  const wanted = propagationFinalizers[policy];
  return wanted ? [...kept, wanted] : kept;
}

function checkPreconditions(call: Call, current: StoredObject, options: DeleteOptions): void {
  const { resource, info } = call;
  const uid = String(metadataOf(current.object)['uid']);
  if (options.uid && options.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`;
    throw conflict(resource, info.name, why);
  }
  if (options.resourceVersion && options.resourceVersion !== String(current.revision)) {
    const why = `Precondition failed: ResourceVersion in precondition: ${options.resourceVersion}, ResourceVersion in object meta: ${current.revision}`;
    throw conflict(resource, info.name, why);
  }
}

function readOptions(call: Call): DeleteOptions {
  const { query, request } = call;
  const parsed = request.body ? parseJsonText(request.body) : undefined;
  const body = isObject(parsed) ? parsed : {};
  const preconditions = asObject(body['preconditions']) ?? {};
  const grace = body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = body['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  return {
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: typeof policy === 'string' && policy !== '' ? policy : undefined,
    uid: text(preconditions['uid']),
    resourceVersion: text(preconditions['resourceVersion']),
    dryRun: isDryRun(call) || asArray(body['dryRun']).includes('All'),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function deletedStatus(call: Call, current: StoredObject): JsonObject {
  const { resource, info } = call;
  const details = {
    name: info.name,
    ...(resource.group ? { group: resource.group } : {}),
    kind: resource.plural,
    uid: metadataOf(current.object)['uid'] ?? null,
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
