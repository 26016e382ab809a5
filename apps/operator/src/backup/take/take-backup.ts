// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError, type PutResult } from '@etcd-operator/blob';
import { type Dialer, formatId, readSnapshotFacts, type SnapshotFacts } from '@etcd-operator/etcd';
import { type Client, formatTime } from '@etcd-operator/kube';
import type { Clock, Logger } from '@etcd-operator/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { type Manifest, manifestPath, renderManifest } from '../../storage/manifest.ts';
import { openStore, type StorageRequest, type StorageSettings } from '../../storage/open-store.ts';
import { putSnapshot } from '../../storage/put-snapshot.ts';
import { rangedReader } from '../../storage/ranged-reader.ts';
import { secretReader } from '../../storage/secret-reader.ts';
import { periodicKey } from '../backup-names.ts';
import type { BackupOrder } from '../backup-order.ts';
import { timeOf } from '../backup-status.ts';
import { type ChosenMember, chooseMember } from './choose-member.ts';
import { clusterOf } from './cluster-of.ts';
import { etcdAccess } from './etcd-access.ts';
import { madeBefore } from './made-before.ts';
import { prune } from './prune.ts';

/** One backup to be made. */
export interface BackupJob {
  readonly backup: EtcdBackup;
  readonly order: BackupOrder;
}

/** What a run works with. */
export interface TakePorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dial: Dialer;
  readonly storage: StorageSettings;
  /** Waits for a turn to move bytes; resolves with what gives it back, and how much memory may be used. */
  readonly turn: (signal: AbortSignal) => Promise<Turn>;
  /** Told which object is about to be written; the run goes on when that has been noted. */
  readonly announce: (object: string, totalBytes: number) => Promise<void>;
  readonly onBytes: (bytes: number) => void;
  /** Bounds the run, but for the time it waits for its turn. */
  readonly limit: TimeLimit;
}

export interface Turn extends Disposable {
  readonly bufferBytes: number;
}

/** A limit that can be halted. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  pause(): void;
  resume(): void;
}

/** A backup that was made, verified, and read back. */
export interface TakenBackup {
  readonly key: string;
  /** As people write it: `<bucket>/<key>`. */
  readonly path: string;
  readonly startedAt: number;
  readonly manifest: Manifest;
  /** False: a run before this one made it, and nothing was written. */
  readonly isNew: boolean;
  /** Why older backups could not be deleted; undefined if all went well. */
  readonly pruneError: unknown;
}

/**
 * Makes one backup: chooses a member, streams its snapshot into the store while its hash is checked, reads the revision back
 * from what was stored, writes the manifest, and deletes backups beyond those to be kept. What fails leaves what was stored
 * before untouched.
 */
export async function takeBackup(job: BackupJob, ports: TakePorts): Promise<TakenBackup> {
  const { backup, order } = job;
  const { limit, client } = ports;
  const { signal } = limit;
  const namespace = backup.metadata?.namespace ?? '';
  const readSecret = secretReader(client, namespace, signal);
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  const before = await probe(job, request, ports);
  if (before) return before;
  const access = await etcdAccess(backup.spec, readSecret);
  const member = await chooseMember(order.endpoints, { ...ports, access, signal });
  try {
    limit.pause();
    using turn = await ports.turn(signal);
    limit.resume();
    const settings = { ...ports.storage, clock: ports.clock, logger: ports.log, bufferBytes: turn.bufferBytes };
    const { store } = await openStore(request, settings);
    try {
      return await storeSnapshot(job, member, store, ports);
    } finally {
      store.close();
    }
  } finally {
    member.client.close();
  }
}

/**
 * A store that does not answer, or says no, is found out before it costs anybody else a turn. Resolves with the backup if it is a
 * single one that this very object has made there: that is never written over.
 */
async function probe(
  { backup, order }: BackupJob,
  request: StorageRequest,
  { storage, clock, log, limit }: TakePorts,
): Promise<TakenBackup | undefined> {
  const { store } = await openStore(request, { ...storage, clock, logger: log });
  const { signal } = limit;
  const { key } = order.place;
  try {
    const { bytes } = await store.stat(key, { signal });
    if (order.schedule.kind !== 'once') return undefined;
    const manifest = await madeBefore(store, { key, bytes, uid: backup.metadata?.uid ?? '' }, signal);
    const startedAt = timeOf(manifest?.time);
    if (!manifest || startedAt === undefined) return undefined;
    return { key, path: pathOf(order, key), startedAt, manifest, isNew: false, pruneError: undefined };
  } catch (error) {
    if (!isBlobError(error, 'NotFound')) throw error;
    return undefined;
  } finally {
    store.close();
  }
}

async function storeSnapshot(
  { backup, order }: BackupJob,
  member: ChosenMember,
  store: BlobStore,
  ports: TakePorts,
): Promise<TakenBackup> {
  const { signal } = ports.limit;
  const startedAt = ports.clock.now();
  const base = order.place.key;
  const isSeries = order.schedule.kind !== 'once';
  const key = isSeries ? periodicKey(base, member.status.revision, startedAt) : base;
  await endLeftover(store, backup, signal);
  ports.log.debug('snapshot begins', { key, member: member.endpoint.text });
  await ports.announce(key, member.status.dbSize);
  const stored = await putSnapshot(store, key, member.client, {
    signal,
    onProgress: ({ bytesRead }) => ports.onBytes(bytesRead),
  });
  ports.log.debug('snapshot stored', { key, bytes: stored.bytes, parts: stored.parts });
  const facts = await readSnapshotFacts(rangedReader(store, key, signal));
  ports.log.debug('snapshot read back', { key, revision: String(facts.revision) });
  const manifest = await manifestOf(backup, member, { startedAt, stored, facts }, ports);
  await store.put(manifestPath(key), once(renderManifest(manifest)), { signal });
  const path = pathOf(order, key);
  const pruneError = order.maxBackups > 0 ? await pruneOr(store, base, order.maxBackups, key, signal) : undefined;
  return { key, path, startedAt, manifest, isNew: true, pruneError };
}

function pathOf({ place }: BackupOrder, key: string): string {
  return place.type === 'Directory' ? place.path + key.slice(place.key.length) : `${place.bucket}/${key}`;
}

/** A process that died while it wrote has noted what it wrote; unfinished uploads cost money and are seen by nobody. Others' are not touched. */
async function endLeftover(store: BlobStore, { status }: EtcdBackup, signal: AbortSignal): Promise<void> {
  const left = status?.progress?.object;
  if (left) await store.clear(left, { signal });
}

async function pruneOr(store: BlobStore, base: string, keep: number, key: string, signal: AbortSignal) {
  try {
    await prune(store, base, keep, key, signal);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function manifestOf(
  { metadata }: EtcdBackup,
  { status }: ChosenMember,
  made: { readonly startedAt: number; readonly stored: PutResult; readonly facts: SnapshotFacts },
  { client, limit }: TakePorts,
): Promise<Manifest> {
  const { namespace = '', name = '', uid = '' } = metadata ?? {};
  const clusterId = formatId(status.clusterId);
  const cluster = await clusterOf(client, namespace, clusterId, limit.signal);
  const { storageVersion, revision } = made.facts;
  return {
    etcdVersion: status.version,
    revision: Number(revision),
    bytes: made.stored.bytes,
    sha256: made.stored.sha256,
    clusterId,
    time: formatTime(made.startedAt),
    ...(storageVersion !== undefined && { storageVersion }),
    ...(cluster && { cluster }),
    backup: { namespace, name, uid },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
