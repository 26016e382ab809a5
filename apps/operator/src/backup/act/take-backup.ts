// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import { formatId } from '@operator-parts/etcd';
import { type Client, formatTime } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { timeOf } from '../../api/status-time.ts';
import { attemptTo } from '../../storage/attempt.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { withMac } from '../../storage/encryption/manifest-mac.ts';
import { specKeys } from '../../storage/encryption/secret-keys.ts';
import { type Manifest, manifestPath } from '../../storage/manifest.ts';
import { openStore, type StorageRequest, type StorageSettings } from '../../storage/open-store.ts';
import { putManifest } from '../../storage/put-manifest.ts';
import { secretReader } from '../../storage/secret-reader.ts';
import { pathBeside } from '../../storage/storage-place.ts';
import { type StoredSnapshot, storeSnapshot } from '../../storage/store-snapshot.ts';
import type { TransferPermit } from '../../transfers/transfer-semaphore.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { periodicKey } from '../plan/backup-names.ts';
import { keepsAll } from '../plan/keep-rules.ts';
import { clusterOf } from './cluster-of.ts';
import type { DialerFor } from './endpoint/endpoint-dialer.ts';
import { type ChosenMember, chooseMember } from './member/choose-member.ts';
import { clusterMembers } from './member/cluster-members.ts';
import { etcdAccess } from './member/etcd-access.ts';
import { existingBackup } from './stored/existing-backup.ts';
import { removeLeftovers, sweepSeries } from './stored/leftovers.ts';
import {
  refuseNameInUse,
  refuseOtherKey,
  refusePathInUse,
  type SinglePlace,
  type WritePlace,
} from './stored/path-in-use.ts';
import { prune } from './stored/prune.ts';

/** One backup to make. */
export interface BackupJob {
  readonly backup: EtcdBackup;
  readonly order: BackupOrder;
}

/** What a run uses. */
export interface TakePorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dialFor: DialerFor;
  readonly storage: StorageSettings;
  /** Throws if this process must not delete stored objects now. */
  readonly fence: () => void;
  /** Returns the keys of backups that retention must not delete. Called just before deletions. */
  readonly spared: () => ReadonlySet<string>;
  /** Reserves a place until the returned value is disposed of. Throws if another backup is being written to this place. */
  readonly hold: (place: WritePlace) => Disposable;
  /** Waits until this run may transfer bytes. The permit says how much memory the run may use. It is returned by disposing of it. */
  readonly permit: (signal: AbortSignal) => Promise<TransferPermit>;
  /** Called with the key before it is written; the run continues when the key has been recorded. */
  readonly announce: (object: string, totalBytes: number) => Promise<void>;
  readonly onBytes: (bytes: number) => void;
  /** `onLeft` is called for each object that a failed attempt left in the store, `onRemoved` for each such object that this run deleted. */
  readonly onLeft: (object: string, why: unknown) => void;
  readonly onRemoved: (object: string) => void;
  /** Called with all unlabelled Secrets that were used so far. */
  readonly onUnlabelled: (secrets: readonly string[]) => void;
  /** Limits the duration of the run. The time during which the run waits for its permit does not count. */
  readonly limit: TimeLimit;
}

/** A time limit that can be paused. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  pause(): void;
  resume(): void;
}

/** A backup that was made, verified, and read back. */
export interface TakenBackup {
  readonly key: string;
  /** As users write it: `<bucket>/<key>`. */
  readonly path: string;
  readonly startedAt: number;
  readonly manifest: Manifest;
  /** False if an earlier run made the backup and this run wrote nothing. */
  readonly isNew: boolean;
  /** Why older backups could not be deleted; undefined if there was no error. */
  readonly pruneError: unknown;
  /** Number of backups in the series that have no matching manifest or belong to other EtcdBackups. Retention does not delete them. */
  readonly uncounted: number;
}

/**
 * Makes one backup: chooses a member, streams its snapshot into the store, verifies that the stored bytes are what etcd sent, writes the
 * manifest, and only then deletes older backups that retention does not keep. A failed run leaves earlier backups untouched, and leaves
 * nothing new behind.
 */
export async function takeBackup(job: BackupJob, ports: TakePorts): Promise<TakenBackup> {
  const { backup, order } = job;
  const { limit, client } = ports;
  const { signal } = limit;
  const namespace = backup.metadata?.namespace ?? '';
  const unlabelled = new Set<string>();
  const onUnlabelled = (name: string) => {
    unlabelled.add(name);
    ports.onUnlabelled([...unlabelled]);
  };
  const readSecret = secretReader(client, namespace, signal, { ...ports.storage, onUnlabelled });
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  // The key is read first: without it, no request is sent to the store or to etcd.
  const keys = await specKeys(backup.spec.encryption, readSecret);
  const found = await probe(job, { request, keys }, ports);
  if ('made' in found) return found.made;
  using _place = ports.hold(found.place);
  const { endpoints, access } =
    order.cluster === undefined
      ? { ...order, access: await etcdAccess(backup.spec, readSecret) }
      : await clusterMembers(order.cluster, { ...ports, namespace, signal });
  const isLoginLabelled = !unlabelled.has(access.loginSecret ?? '');
  const member = await chooseMember(endpoints, { ...ports, access, isLoginLabelled, signal });
  try {
    limit.pause();
    using permit = await ports.permit(signal);
    limit.resume();
    const settings = { ...ports.storage, clock: ports.clock, logger: ports.log, bufferBytes: permit.bufferBytes };
    const { store } = await openStore(request, settings);
    try {
      return await storeBackup(job, member, { store, keys }, ports);
    } finally {
      store.close();
    }
  } finally {
    member.client.close();
  }
}

/** An existing backup, or the place to write a new one. */
type Probed = { readonly made: TakenBackup } | { readonly place: WritePlace };

/**
 * Checks that the store answers and accepts the credentials before the run waits for its permit. So a failing store takes no permit from
 * other runs. Resolves with the existing backup if this object has already made its single backup. Existing backups are never overwritten.
 */
async function probe(
  { backup, order }: BackupJob,
  { request, keys }: { readonly request: StorageRequest; readonly keys: KeyProvider | undefined },
  { storage, clock, log, limit }: TakePorts,
): Promise<Probed> {
  const { store } = await openStore(request, { ...storage, clock, logger: log });
  const { signal } = limit;
  const { key, path } = order.place;
  const place = { server: store.server, location: store.location, key, path };
  try {
    const { bytes } = await store.stat(key, { signal });
    if (order.schedule.kind !== 'once') return { place };
    const single = singlePlace(backup, order);
    const manifest = await existingBackup(store, { ...single, bytes }, signal);
    const startedAt = timeOf(manifest?.time);
    if (!manifest || startedAt === undefined) {
      await refusePathInUse(store, single, signal);
      return { place };
    }
    if (keys) await refuseOtherKey(store, single, { keys, manifest }, signal);
    const made = { key, path: single.path, startedAt, manifest, isNew: false, pruneError: undefined, uncounted: 0 };
    return { made };
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return { place };
    // Credentials that may write and read are not always allowed to list: S3 then answers "denied" for objects that do not exist.
    // Credentials that may neither write nor read must not block this place for EtcdBackups of other namespaces.
    if (isBlobError(error, 'Denied')) return { place: { ...place, namespace: request.namespace } };
    throw error;
  } finally {
    store.close();
  }
}

async function storeBackup(
  job: BackupJob,
  member: ChosenMember,
  { store, keys }: { readonly store: BlobStore; readonly keys: KeyProvider | undefined },
  ports: TakePorts,
): Promise<TakenBackup> {
  const { order, backup } = job;
  const { signal } = ports.limit;
  const startedAt = ports.clock.now();
  const base = order.place.key;
  const isSeries = order.schedule.kind !== 'once';
  const key = isSeries ? periodicKey(base, member.status.revision, startedAt) : base;
  for (const name of [key, manifestPath(key)]) store.checkKey(name);
  // Checked again, because the wait for the permit may have been long.
  if (isSeries) await refuseNameInUse(store, key, backup.metadata?.uid ?? '', signal);
  else await refusePathInUse(store, singlePlace(backup, order), signal);
  await removeLeftovers(store, base, backup.status, ports);
  ports.log.debug('snapshot begins', { key, member: member.endpoint.text });
  await ports.announce(key, member.status.dbSize);
  const { clock, onLeft } = ports;
  const { random } = ports.storage;
  const whose = { isOwnName: isSeries, uid: backup.metadata?.uid ?? '', ...(random && { random }) };
  const attempt = { clock, signal, onLeft, ...whose };
  const manifest = await attemptTo(store, key, attempt, async (own) => {
    const onBytes = (bytesRead: number) => ports.onBytes(bytesRead);
    const stored = await storeSnapshot(store, key, member, { signal, onBytes, own, keys });
    ports.log.debug('snapshot stored', { key, bytes: stored.bytes, revision: String(stored.facts.revision) });
    const made = await withMac(await manifestOf(backup, member, { startedAt, stored }, ports), keys, signal);
    await putManifest(store, key, made, { signal, mark: own.mark });
    return made;
  });
  if (isSeries) await sweepSeries(store, base, ports);
  const taken = { key, path: pathBeside(order.place, key), startedAt, manifest, isNew: true };
  return { ...taken, ...(await pruneOr(store, order, { made: key, owner: manifest }, ports)) };
}

function singlePlace({ metadata }: EtcdBackup, { place }: BackupOrder): SinglePlace {
  return { key: place.key, path: pathBeside(place, place.key), uid: metadata?.uid ?? '' };
}

async function pruneOr(
  store: BlobStore,
  { place, keep }: BackupOrder,
  made: { readonly made: string; readonly owner: Manifest },
  { fence, limit, spared }: TakePorts,
) {
  if (keepsAll(keep)) return { uncounted: 0, pruneError: undefined };
  try {
    fence();
    return {
      uncounted: await prune(store, place.key, { keep, spared: spared(), ...made }, limit.signal),
      pruneError: undefined,
    };
  } catch (error) {
    return { uncounted: 0, pruneError: error };
  }
}

async function manifestOf(
  { metadata }: EtcdBackup,
  { status }: ChosenMember,
  made: { readonly startedAt: number; readonly stored: StoredSnapshot },
  { client, limit }: TakePorts,
): Promise<Manifest> {
  const { namespace = '', name = '', uid = '' } = metadata ?? {};
  const clusterId = formatId(status.clusterId);
  const cluster = await clusterOf(client, namespace, clusterId, limit.signal);
  const { facts, encryption, bytes, sha256 } = made.stored;
  const { storageVersion, revision } = facts;
  return {
    etcdVersion: status.version,
    revision: Number(revision),
    bytes,
    sha256,
    clusterId,
    time: formatTime(made.startedAt),
    ...(storageVersion !== undefined && { storageVersion }),
    ...(cluster && { cluster }),
    backup: { namespace, name, uid },
    ...(encryption && { encryption }),
  };
}
