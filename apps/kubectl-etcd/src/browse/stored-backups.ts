// SPDX-License-Identifier: Apache-2.0

import {
  type EtcdBackup,
  etcdBackups,
  keptByRules,
  type ListedBackup,
  listStored,
  type OpenedStorage,
  pathBeside,
  type StoredPath,
} from '@etcd-operator/operator';
import { formatTime } from '@operator-parts/kube';
import type { Access } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { Report } from '../render/print.ts';
import { storedLines } from '../render/stored-backups.ts';
import { isWholeBucket, type StoreLocation } from '../store-location.ts';
import { openFromHere, type ReachOptions, specPath, storeAt, storeOfBackup } from './backup-store.ts';

/** What is stored of one EtcdBackup, or of one path in a store. Times are RFC 3339. */
export interface StoredSeries {
  readonly namespace?: string;
  /** The EtcdBackup; absent if only the store was read. */
  readonly name?: string;
  readonly path: string;
  /** Oldest first. */
  readonly backups: readonly StoredBackupLine[];
  readonly changes: readonly RecordedChanges[];
  /** Up to where data can be recovered, by what is stored. */
  readonly recoveryPoint?: { readonly revision: number; readonly time: string };
  /** Why the store could not be listed. */
  readonly problem?: string;
}

export interface StoredBackupLine {
  readonly path: string;
  readonly time: string;
  readonly bytes: number;
  readonly revision?: number;
  readonly etcdVersion?: string;
  /** The EtcdCluster that its manifest names. */
  readonly cluster?: string;
  readonly clusterID?: string;
  /** Absent without a matching manifest. */
  readonly encrypted?: boolean;
  readonly manifest: ListedBackup['state'];
  /** Whether it was restored for a proof, and whether that succeeded. Known only from the EtcdBackup. */
  readonly proven?: string;
  /** The rules of the EtcdBackup that keep it. Empty: it is deleted after the next backup. */
  readonly keptBy?: readonly string[];
}

export interface RecordedChanges {
  readonly clusterID: string;
  readonly from: number;
  readonly to: number;
  /** When the last of them was received. */
  readonly until: string;
  readonly segments: number;
}

/** Lists the backups and changes that the EtcdBackups of a namespace have stored. A store that cannot be listed does not hide the others. */
export async function listStoredOf(
  access: Access,
  asked: ReachOptions & { readonly cluster: string | undefined },
): Promise<Report> {
  const { client, namespace, signal } = access;
  const { items } = await client.resource(etcdBackups.resource).list({ namespace, signal });
  const wanted = items.filter(({ spec }) => asked.cluster === undefined || spec.clusterRef?.name === asked.cluster);
  const series: StoredSeries[] = [];
  for (const backup of wanted.toSorted(byName)) series.push(await seriesOf(access, backup, asked));
  const failed = series.filter(({ problem }) => problem !== undefined).map(({ name }) => name);
  return {
    data: series,
    lines: () => (series.length === 0 ? ['There is no EtcdBackup.'] : storedLines(series)),
    ...(failed.length > 0 && { failure: `the backup store could not be listed for EtcdBackup ${failed.join(', ')}` }),
  };
}

/** Lists the backups and changes at a URL, and at all paths that begin with it. No object of the API server is needed. */
export async function listStoredAt(
  access: Access,
  location: StoreLocation,
  { directory }: Pick<ReachOptions, 'directory'>,
): Promise<Report> {
  const isWhole = location.type !== 'Directory' && isWholeBucket(location.path);
  // Any key names the bucket.
  const named = isWhole ? { ...location, path: `${location.path}key` } : location;
  const opened = await openFromHere(access, storeAt(named, { directory }), directory);
  try {
    const { store, place } = opened;
    const found = await listStored(store, { beginning: isWhole ? '' : place.key }, access.signal);
    const series = found.map((one) => ({ path: pathBeside(place, one.base), ...contents(one, opened) }));
    const none = `No stored backup has a path that begins with ${location.path}.`;
    return { data: series, lines: () => (series.length === 0 ? [none] : storedLines(series)) };
  } finally {
    opened.store.close();
  }
}

async function seriesOf(access: Access, backup: EtcdBackup, reach: ReachOptions): Promise<StoredSeries> {
  const { namespace = '', name = '' } = backup.metadata ?? {};
  const path = specPath(backup) ?? '';
  const series = { namespace, name, path };
  try {
    const opened = await openFromHere(access, storeOfBackup(backup, path, reach).spec, reach.directory);
    try {
      const [found] = await listStored(opened.store, { base: opened.place.key }, access.signal);
      return { ...series, ...(found ? contents(found, opened, backup) : { backups: [], changes: [] }) };
    } finally {
      opened.store.close();
    }
  } catch (error) {
    access.signal.throwIfAborted();
    // A wrong command line is wrong for every EtcdBackup of the kind.
    if (error instanceof CliError && error.code !== 'Usage') throw error;
    const problem = error instanceof Error ? error.message : String(error);
    return { ...series, backups: [], changes: [], problem };
  }
}

function contents(
  { backups, changes, recoveryPoint }: StoredPath,
  { place }: OpenedStorage,
  backup?: EtcdBackup,
): Pick<StoredSeries, 'backups' | 'changes' | 'recoveryPoint'> {
  const rules = backup && keptByRules(backup, backups);
  const lines = backups.map((one) => {
    const path = pathBeside(place, one.key);
    const proven = backup && provenOf(backup, path);
    const keptBy = rules?.get(one.key);
    return { ...lineOf(one, path), ...(proven !== undefined && { proven }), ...(keptBy && { keptBy }) };
  });
  const recorded = changes.map(({ clusterId: clusterID, from, to, lastAt, segments }) => {
    return { clusterID, from: Number(from), to: Number(to), until: formatTime(lastAt), segments };
  });
  const point = pointOf(recoveryPoint, backup);
  return { backups: lines, changes: recorded, ...(point && { recoveryPoint: point }) };
}

/** The status is ahead of what is stored while the cluster has no writes: then its time is later. */
function pointOf(stored: StoredPath['recoveryPoint'], backup: EtcdBackup | undefined): StoredSeries['recoveryPoint'] {
  const point = stored && { revision: Number(stored.revision), time: formatTime(stored.time) };
  const known = backup?.status?.recoveryPoint;
  return known && point && known.revision === point.revision && known.time > point.time ? known : point;
}

function lineOf({ time, bytes, state, manifest }: ListedBackup, path: string): StoredBackupLine {
  return {
    path,
    time: formatTime(time),
    bytes,
    ...(manifest && {
      revision: manifest.revision,
      etcdVersion: manifest.etcdVersion,
      ...(manifest.cluster && { cluster: manifest.cluster.name }),
      clusterID: manifest.clusterId,
      encrypted: manifest.encryption !== undefined,
    }),
    manifest: state,
  };
}

function provenOf({ status }: EtcdBackup, path: string): string | undefined {
  const { lastProven, proof, conditions } = status ?? {};
  if (proof?.path === path && proof.running) return 'in progress';
  const failure = conditions?.find(({ type, status: value }) => type === 'Proven' && value === 'False');
  if (proof?.path === path && failure) return `failed: ${failure.reason}`;
  return lastProven?.path === path ? lastProven.provenDate : undefined;
}

function byName(a: EtcdBackup, b: EtcdBackup): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
