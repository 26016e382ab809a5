// SPDX-License-Identifier: Apache-2.0
import { storageKey } from '../registry/served-resource.ts';
import { selectionOf } from '../selectors/selection.ts';
import { ApiError, badRequest, expired, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { decodeContinue, encodeContinue } from '../storage/continue-token.ts';
import { StoreError } from '../storage/store-error.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { readListOptions, readVersion } from './list-options.ts';
import { listAnswer, objectAnswer } from './representation.ts';

/** GET of one object. */
export function getObject(call: Call): ApiResponse {
  const { info, resource } = call;
  const version = readVersion(call.query);
  const revision = shownRevision(call, version);
  checkNotTooNew(revision, version);
  const stored = getAt(call, storageKey(resource, info.namespace, info.name), revision);
  if (!stored) throw notFound(resource, info.name);
  return objectAnswer(call, 200, stored);
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly revision: number;
  readonly continueToken: string | undefined;
  readonly remaining: number | undefined;
}

/** GET of a collection. */
export function listObjects(call: Call): ApiResponse {
  const { resource } = call;
  const page = selectPage(call);
  const metadata = {
    resourceVersion: String(page.revision),
    // Lists of custom resources always have the field `continue`.
    ...(page.continueToken === undefined && !resource.custom ? {} : { continue: page.continueToken ?? '' }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  return listAnswer(call, page.items, metadata);
}

function selectPage(call: Call): Page {
  const { continueToken, limit, version, match } = readListOptions(call, false);
  if (continueToken) return continued(call, continueToken, limit, version);
  // A version with a limit always means exactly that version.
  const isExact = match === 'Exact' || (match === undefined && limit > 0 && Boolean(version));
  if (isExact) return paged(call, version ?? 0, '', limit);
  const revision = shownRevision(call, version);
  checkNotTooNew(revision, version);
  return paged(call, revision, '', version === 0 ? 0 : limit);
}

function continued(call: Call, text: string, limit: number, version: number | undefined): Page {
  if (version !== undefined && version !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { core } = call;
  const token = decodeContinue(text);
  const revision = token.revision < 0 ? core.store.revision : token.revision;
  try {
    return paged(call, revision, token.after, limit);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 410) throw error;
    throw expired(inconsistentContinue, encodeContinue({ revision: -1, after: token.after }));
  }
}

const inconsistentContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the ' +
  'continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with ' +
  'the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the ' +
  'first chunk was returned and now may show up in the list.';

function paged(call: Call, revision: number, after: string, limit: number): Page {
  const selection = selectionOf(call);
  const all = readAt(call, revision, selection.prefix);
  const rest = after === '' ? all : all.filter((item) => item.key > after);
  const items: StoredObject[] = [];
  for (const [index, item] of rest.entries()) {
    if (selection.matches(item.object)) items.push(item);
    const left = rest.length - index - 1;
    if (limit > 0 && items.length === limit && left > 0) {
      const continueToken = encodeContinue({ revision, after: item.key });
      return { items, revision, continueToken, remaining: selection.empty ? left : undefined };
    }
  }
  return { items, revision, continueToken: undefined, remaining: undefined };
}

function readAt(call: Call, revision: number, prefix: string): readonly StoredObject[] {
  const { store } = call.core;
  try {
    return store.listAt(call.resource.collection, revision, prefix);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'Compacted') {
      throw expired('The resourceVersion for the provided list is too old.');
    }
    if (error instanceof StoreError && error.code === 'FutureRevision') throw tooLarge(revision, store.revision);
    throw error;
  }
}

/** The version that a read returns: the present one, or an older one at a replica that lags. */
function shownRevision({ core, target }: Call, version: number | undefined): number {
  const view = core.faults.replicaFor(target);
  const fromCache = version !== undefined;
  return view && (fromCache || view.staleReads) ? view.revision : core.store.revision;
}

function getAt({ core, resource }: Call, key: string, revision: number): StoredObject | undefined {
  const { store } = core;
  return store.getAt(resource.collection, Math.max(revision, store.compacted), key);
}

/** Refuses a version that this server has not reached. */
function checkNotTooNew(current: number, version: number | undefined): void {
  if (version !== undefined && version > current) throw tooLarge(version, current);
}

function tooLarge(version: number, current: number): ApiError {
  const message = `Too large resource version: ${version}, current: ${current}`;
  return new ApiError(504, 'Timeout', `Timeout: ${message}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
