// SPDX-License-Identifier: Apache-2.0
import type { DeleteOptions, ListOptions, SelectOptions, WatchOptions, WriteOptions } from './client.ts';

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `path?a=b&c=d`, everything escaped. */
export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length ? `${path}?${pairs.join('&')}` : path;
}

export function selectQuery(options: SelectOptions): Query {
  return {
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
  };
}

export function listQuery(options: ListOptions): Query {
  return {
    ...selectQuery(options),
    limit: options.limit,
    continue: options.continue || undefined,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

export function watchQuery(options: WatchOptions): Query {
  return {
    watch: true,
    ...selectQuery(options),
    allowWatchBookmarks: options.allowWatchBookmarks ?? true,
    resourceVersion: options.resourceVersion,
    // The server requires `resourceVersionMatch` for a streaming list.
    resourceVersionMatch: options.resourceVersionMatch ?? (options.sendInitialEvents ? 'NotOlderThan' : undefined),
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  };
}

export function writeQuery(options: WriteOptions & { readonly force?: boolean }): Query {
  return {
    dryRun: options.dryRun ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force,
  };
}

/** The body of a DELETE. */
export function deleteBody(options: DeleteOptions): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: options.propagationPolicy,
    gracePeriodSeconds: options.gracePeriodSeconds,
    preconditions: options.preconditions,
    dryRun: options.dryRun ? ['All'] : undefined,
  });
}
