// SPDX-License-Identifier: Apache-2.0
import { MetricRegistry, type Result } from '@operator-parts/controller-runtime';
import { createClient, isKubeError, whenAborted } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { seededRandom, settle, silentLogger, systemClock, VirtualClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EtcdBackup, type EtcdBackupSpec, etcdBackups } from '../api/etcd-backup.ts';
import { installCrd } from '../api/install-crd.ts';
import { noGrants } from '../cluster/grants/pod-grants.ts';
import { Jobs } from '../restore/jobs.ts';
import { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import { BackupRuns, type RunRequest } from './act/backup-runs.ts';
import { coreosFinalizer, ownFinalizer } from './act/finalizers.ts';
import { Streams } from './continuous/streams.ts';
import { Proofs } from './prove/proofs.ts';
import { BackupReconciler } from './reconciler.ts';
import { BackupMetrics } from './status/backup-metrics.ts';

const server = createApiServer();
const client = createClient(server.transport());
const backups = client.resource(etcdBackups.resource);
const { signal } = new AbortController();
beforeAll(() => installCrd(etcdBackups, { client, clock: systemClock, log: silentLogger, signal }));
afterAll(() => server.close());

const namespace = 'default';
const once: EtcdBackupSpec = {
  etcdEndpoints: ['http://example:2379'],
  storageType: 'S3',
  s3: { path: 'bucket/key', awsSecret: 'aws' },
};

/** An EtcdBackup and its reconciler. The runs it starts never get the Secret of their store, so they wait forever. */
class Scene {
  readonly clock = new VirtualClock();
  readonly runs = new BackupRuns(this.clock);
  readonly events: string[] = [];
  readonly #name: string;
  /** The object in the cache. */
  #cached: EtcdBackup;
  readonly #reconciler = new BackupReconciler({
    client: createClient({ ...server.transport(), request: () => new Promise<never>(() => undefined) }),
    clock: this.clock,
    random: seededRandom(1),
    log: silentLogger,
    backupOf: () => this.#cached,
    isOurs: ({ metadata }) => metadata?.annotations?.['of-another'] === undefined,
    runs: this.runs,
    proofs: new Proofs(new Jobs(this.clock), new TransferSemaphore(1, this.clock)),
    streams: new Streams({
      jobs: new Jobs(this.clock),
      clock: this.clock,
      enqueue: () => undefined,
      lastPath: () => undefined,
    }),
    dial: () => Promise.reject(new Error('nobody is there')),
    grants: noGrants,
    agent: async () => ({ image: 'image', namespace, pullSecrets: [] }),
    semaphore: new TransferSemaphore(1, this.clock),
    metrics: new BackupMetrics(new MetricRegistry(), this.clock, () => 0),
    events: { record: (_object, _type, reason) => void this.events.push(reason) },
    coreosOperator: () => undefined,
    dialerOf: () => () => () => Promise.reject(new Error('nobody is there')),
    storage: {},
    fence: () => undefined,
    enqueue: () => undefined,
  });

  private constructor(made: EtcdBackup) {
    this.#name = made.metadata?.name ?? '';
    this.#cached = made;
  }

  static async of(name: string, spec: EtcdBackupSpec, finalizers: readonly string[] = []): Promise<Scene> {
    const metadata = { name, namespace, finalizers };
    const kind = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup' } as const;
    return new Scene(await backups.create({ ...kind, metadata, spec }));
  }

  get key() {
    return { name: this.#name, namespace };
  }

  /** Ends a run of this object with a backup that was due so long ago. */
  async made(agoMs = 0): Promise<void> {
    const { uid = '', generation = 0 } = this.#cached.metadata ?? {};
    const startedAt = this.clock.now() - agoMs;
    const manifest = { etcdVersion: '3.6.16', revision: 7, bytes: 1, sha256: 'ab', clusterId: 'cd', time: '' };
    const work: RunRequest['work'] = async () => ({
      ...{ key: 'key', path: 'bucket/key', startedAt, manifest, isNew: true, pruneError: undefined, uncounted: 0 },
    });
    this.runs.start({ uid, generation, due: startedAt, work, onEnd: () => undefined });
    await settle();
  }

  /** Ends a run of this object with a failure. */
  async failed(): Promise<void> {
    const { uid = '', generation = 0 } = this.#cached.metadata ?? {};
    const work: RunRequest['work'] = () => Promise.reject(new Error('the backup store does not answer'));
    this.runs.start({ uid, generation, due: this.clock.now(), work, onEnd: () => undefined });
    await settle();
  }

  /** Reconciles once, with the object in the cache. */
  async reconcile(): Promise<Result> {
    const context = { client, log: silentLogger, signal, failures: 0, fence: () => undefined };
    return this.#reconciler.reconcile(this.key, context);
  }

  async refresh(): Promise<EtcdBackup> {
    this.#cached = await backups.get(this.key);
    return this.#cached;
  }

  get isRunning(): boolean {
    const state = this.runs.state(this.#cached.metadata?.uid ?? '');
    return state !== undefined && !state.outcome;
  }
}

const condition = ({ status }: EtcdBackup, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted)?.status;

test('one reconciliation of a new EtcdBackup puts its finalizers right, starts its run and reports it', async () => {
  const spec = { ...once, backupPolicy: { backupIntervalInSecond: 60 }, deletionPolicy: 'Delete' } as const;
  const scene = await Scene.of('new', spec, [coreosFinalizer]);
  expect(await scene.reconcile()).toEqual({ type: 'requeueAfter', milliseconds: 3_000 });
  const seen = await scene.refresh();
  expect(seen.metadata?.finalizers).toEqual([ownFinalizer]);
  expect([scene.isRunning, condition(seen, 'Running')]).toEqual([true, 'True']);
});

test('one reconciliation records what a run came to and does what follows; a second has nothing to write', async () => {
  const scene = await Scene.of('ended', { ...once, ttlSecondsAfterFinished: 60 }, [coreosFinalizer]);
  await scene.made();
  expect(await scene.reconcile()).toEqual({ type: 'requeueAfter', milliseconds: 60_000 });
  const seen = await scene.refresh();
  expect(seen.metadata?.finalizers ?? []).toEqual([]);
  expect([seen.status?.succeeded, condition(seen, 'Succeeded')]).toEqual([true, 'True']);
  expect(scene.events).toEqual(['BackupTaken']);

  await scene.reconcile();
  const after = await scene.refresh();
  expect(after.metadata?.resourceVersion).toBe(seen.metadata?.resourceVersion);
  expect(scene.events).toEqual(['BackupTaken']);
});

test('one reconciliation records what a run came to and starts the next, if that is due', async () => {
  const scene = await Scene.of('behind', { ...once, backupPolicy: { backupIntervalInSecond: 60 } });
  await scene.made(600_000);
  await scene.reconcile();
  const seen = await scene.refresh();
  expect([seen.status?.lastBackup?.path, scene.isRunning, condition(seen, 'Running')]).toEqual([
    'bucket/key',
    true,
    'True',
  ]);
});

test.each([
  ['the last was made', 1],
  ['the last failed, and a pause was begun', 0],
])('a cache that does not show yet that %s has no other made', async (_what, made) => {
  const scene = await Scene.of(`behind-${made}`, { ...once, backupPolicy: { backupIntervalInSecond: 60 } });
  await (made === 1 ? scene.made() : scene.failed());
  await scene.reconcile();
  // The cache still holds the object as it was created.
  expect(await scene.reconcile()).toMatchObject({ type: 'requeueAfter' });
  expect(scene.isRunning).toBe(false);
});

test('where a run would begin, an EtcdBackup that is gone, replaced or given to another operator is left alone', async () => {
  const annotated = await Scene.of('given-away', once);
  await backups.patch(annotated.key, { type: 'merge', patch: { metadata: { annotations: { 'of-another': '' } } } });
  const gone = await Scene.of('gone', once);
  await backups.delete(gone.key);
  const replaced = await Scene.of('replaced', once);
  await backups.delete(replaced.key);
  await Scene.of('replaced', once);
  for (const scene of [annotated, gone, replaced]) {
    expect(await scene.reconcile()).toEqual({ type: 'done' });
    expect(scene.isRunning).toBe(false);
  }
});

test.each([true, false])(
  'a run that was cancelled leaves no progress in the status (in the cache before: %s)',
  async (isCached) => {
    const scene = await Scene.of(`cancelled-${isCached}`, { ...once, backupPolicy: { backupIntervalInSecond: 60 } });
    await scene.made();
    await scene.reconcile();
    const { metadata, status } = await scene.refresh();
    const begun = { object: 'key_v8_2026', startTime: status?.lastSuccessDate };
    const work: RunRequest['work'] = async (cancelled, { object }) => {
      object(begun.object, 1);
      await backups.status.patch(scene.key, { type: 'merge', patch: { status: { progress: begun } } });
      if (isCached) await scene.refresh();
      await whenAborted(cancelled);
      throw new Error('cancelled');
    };
    scene.runs.start({ uid: metadata?.uid ?? '', generation: 1, due: 0, work, onEnd: () => undefined });
    await expect.poll(async () => (await backups.get(scene.key)).status?.progress?.object).toBe(begun.object);
    scene.runs.cancel(metadata?.uid ?? '', 'the spec has changed');
    await settle();
    await scene.reconcile();
    const { status: after } = await scene.refresh();
    expect([after?.progress, after?.leftovers, scene.isRunning]).toEqual([undefined, undefined, false]);
  },
);

test('what was planned for a spec that has changed meanwhile is not begun', async () => {
  const scene = await Scene.of('changed', { ...once, backupPolicy: { backupIntervalInSecond: 60 } });
  await scene.made(600_000);
  const patch = { spec: { backupPolicy: { backupIntervalInSecond: 3_600 } } };
  await backups.patch(scene.key, { type: 'merge', patch });
  await scene.reconcile();
  const seen = await scene.refresh();
  expect([seen.status?.lastBackup?.path, scene.isRunning]).toEqual(['bucket/key', false]);

  await scene.reconcile();
  expect(scene.isRunning).toBe(false);
});

test('one reconciliation lets an EtcdBackup go that is being deleted', async () => {
  const scene = await Scene.of('going', once, [coreosFinalizer, ownFinalizer]);
  await backups.delete(scene.key);
  await scene.refresh();
  await scene.made();
  await scene.reconcile();
  await expect(backups.get(scene.key)).rejects.toSatisfy((error) => isKubeError(error, 'NotFound'));
});

test('stored backups that the spec keeps by now are kept, if the cache still says that they are to be deleted', async () => {
  const scene = await Scene.of('kept', { ...once, deletionPolicy: 'Delete' }, [ownFinalizer]);
  await backups.delete(scene.key);
  await scene.refresh();
  await backups.patch(scene.key, { type: 'merge', patch: { spec: { deletionPolicy: 'Keep' } } });
  // If the reconciler started a deletion, it would wait forever for the Secret of the store.
  await scene.reconcile();
  await expect(backups.get(scene.key)).rejects.toSatisfy((error) => isKubeError(error, 'NotFound'));
});
