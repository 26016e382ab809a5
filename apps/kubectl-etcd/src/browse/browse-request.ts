// SPDX-License-Identifier: Apache-2.0
import { CliError } from '../cli-error.ts';
import { type StoreLocation, type StoreOptions, storeOf } from '../store-location.ts';
import type { ReachOptions } from './backup-store.ts';
import type { BrowseAsked } from './browse.ts';
import type { DiffAsked } from './diff.ts';
import type { SourceOptions } from './open-source.ts';
import { sourceName } from './source-name.ts';
import { bytesOf } from './typed-bytes.ts';

/** Options of the commands that read backups. */
export interface BrowseOptions extends StoreOptions {
  readonly values?: boolean | undefined;
  readonly revision?: string | undefined;
  readonly 'to-revision'?: string | undefined;
  readonly at?: string | undefined;
  readonly 'to-at'?: string | undefined;
  readonly 'encryption-secret'?: string | undefined;
  readonly directory?: string | undefined;
}

/** Which stored backups to list: those of EtcdBackups, or those at a URL. */
export interface ListStoredAsked extends ReachOptions {
  readonly cluster: string | undefined;
  /** Undefined: the stores of the EtcdBackups of the namespace. */
  readonly store: StoreLocation | undefined;
}

export interface ListOptions extends StoreOptions {
  readonly stored?: boolean | undefined;
  readonly directory?: string | undefined;
  readonly 'all-namespaces'?: boolean | undefined;
}

/** Parses the arguments of `backup list --stored` and `backup list --store URL`; undefined if neither is asked for. */
export function listStoredOf([cluster, ...more]: readonly string[], options: ListOptions): ListStoredAsked | undefined {
  const { stored = false, store, endpoint, directory } = options;
  if (store === undefined && !stored) {
    const lone = (['secret', 'endpoint', 'path-style', 'directory'] as const).find(
      (name) => options[name] !== undefined,
    );
    if (lone === undefined) return undefined;
    throw new CliError('Usage', `--${lone} needs --stored or --store URL: without them, only EtcdBackups are listed`);
  }
  if (options['all-namespaces'])
    throw new CliError('Usage', 'stored backups can be listed for one namespace only: leave out -A');
  refuseMore('backup list [CLUSTER] --stored', more);
  if (store === undefined) return { cluster, store: undefined, endpoint, directory };
  if (cluster !== undefined)
    throw new CliError('Usage', `--store URL lists a backup store, not a cluster: leave out ${cluster}`);
  return { cluster, store: storeOf(options, 'list'), endpoint, directory };
}

/** Parses `BACKUP [PREFIX]`. */
export function browseOf([source, prefix = '', ...more]: readonly string[], options: BrowseOptions): BrowseAsked {
  refuseMore('backup browse BACKUP [PREFIX]', more);
  if (source === undefined)
    throw new CliError(
      'Usage',
      'name the backup: kubectl etcd backup browse BACKUP [PREFIX]. To see the names of backups: kubectl etcd backup list',
    );
  const asked = { source: sourceName(source, options), prefix: bytesOf(prefix), ...browseOptions(options) };
  if (asked.source.kind === 'live')
    throw new CliError(
      'Usage',
      `${source} is not a backup, and this command reads backups only. To read from a running cluster, use: kubectl etcd exec -- etcdctl get --prefix ...`,
    );
  return asked;
}

/** Parses `BACKUP live|BACKUP [PREFIX]`. */
export function diffOf([from, to, prefix = '', ...more]: readonly string[], options: BrowseOptions): DiffAsked {
  refuseMore('backup diff BACKUP live|BACKUP [PREFIX]', more);
  if (from === undefined || to === undefined)
    throw new CliError('Usage', 'name the two sides to compare: kubectl etcd backup diff BACKUP live|BACKUP [PREFIX]');
  return {
    from: sourceName(from, options),
    to: sourceName(to, options),
    prefix: bytesOf(prefix),
    toRevision: revisionOf('to-revision', options['to-revision']),
    toAt: timeOf('to-at', options['to-at'], options['to-revision']),
    ...browseOptions(options),
  };
}

function browseOptions(options: BrowseOptions): Pick<BrowseAsked, 'values' | 'revision'> & SourceOptions {
  return {
    values: options.values ?? false,
    revision: revisionOf('revision', options.revision),
    at: timeOf('at', options.at, options.revision),
    encryptionSecret: options['encryption-secret'],
    endpoint: options.endpoint,
    directory: options.directory,
  };
}

function revisionOf(option: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new CliError('Usage', `--${option} ${text}: the revision must be a number greater than 0`);
}

function timeOf(option: string, text: string | undefined, revision: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (revision !== undefined) throw new CliError('Usage', `use --${option} or a revision, not both`);
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new CliError('Usage', `--${option} ${text}: not a valid time. Example: 2026-11-18T14:32:00Z`);
}

function refuseMore(usage: string, more: readonly string[]): void {
  if (more.length > 0)
    throw new CliError('Usage', `too many arguments: ${more.join(' ')}; usage: kubectl etcd ${usage}`);
}
