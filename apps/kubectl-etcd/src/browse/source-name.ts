// SPDX-License-Identifier: Apache-2.0
import { CliError } from '../cli-error.ts';
import { type StoreLocation, type StoreOptions, storeOf } from '../store-location.ts';

/** The source that a user names. */
export type SourceName =
  /** An EtcdBackup. The backup at `path` is meant; without a path, the last one that this EtcdBackup has stored. */
  | { readonly kind: 'backup'; readonly name: string; readonly path: string | undefined }
  | { readonly kind: 'store'; readonly store: StoreLocation }
  /** The present state of the named cluster; without a name, of the cluster that the backup was taken from. */
  | { readonly kind: 'live'; readonly cluster: string | undefined };

/** Parses `NAME`, `NAME:PATH`, `s3://BUCKET/KEY` and the like, `live`, or `etcdcluster/NAME`. */
export function sourceName(text: string, options: StoreOptions): SourceName {
  if (text.includes('://')) return { kind: 'store', store: storeOf({ ...options, store: text }, 'here') };
  if (text === 'live') return { kind: 'live', cluster: undefined };
  const [, kind, name = '', path] = /^(?:(etcdcluster|etcdbackup)\/)?([a-z0-9.-]+)(?::(.+))?$/.exec(text) ?? [];
  if (name === '' || (kind === 'etcdcluster' && path !== undefined))
    throw new CliError(
      'Usage',
      `${text} is neither a backup nor a cluster. Write the NAME of an EtcdBackup, NAME:PATH, a URL such as s3://BUCKET/KEY, live, or etcdcluster/NAME`,
    );
  return kind === 'etcdcluster' ? { kind: 'live', cluster: name } : { kind: 'backup', name, path };
}
