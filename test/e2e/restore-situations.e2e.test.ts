// SPDX-License-Identifier: Apache-2.0
/**
 * Restores in every situation of a cluster, on a real kubelet with a real S3 server: each with 10,000 keys, all
 * compared afterwards, and with a client that watches throughout and must learn that history is compacted.
 */
import { join } from 'node:path';
import type { EtcdBackup, EtcdCluster } from '@etcd-operator/operator';
import { type Auth, type Login, type MemberClient, toBytes } from '@operator-parts/etcd';
import { fillStore, storeContents, WatchingClient, WritingClient, writtenKeys } from '@operator-parts/etcd/testing';
import type { Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secureCluster, staticTls } from './testing/cluster-certificates.ts';
import { type LocalVolumes, startLocalVolumes } from './testing/local-volumes.ts';
import { BackupScene } from './testing/scenes/backup-scene.ts';
import { openMember } from './testing/scenes/etcd-view.ts';
import { root } from './testing/scenes/manifests.ts';
import { etcdCluster, nameOf, selector } from './testing/scenes/operator-scene.ts';
import { untilTrue } from './testing/until.ts';

/** Four restores one after the other take long on a busy machine. */
const patience = 1_200_000;

let here: BackupScene;
let volumes: LocalVolumes;

beforeAll(async () => {
  here = await BackupScene.open('situations', 'plain');
  volumes = await startLocalVolumes(here.scene.cluster);
  await here.scene.kubectl('apply', '--kustomize', join(root, 'deploy/base'));
  await here.scene.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
});

afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await volumes?.[Symbol.asyncDispose]();
});

async function untilSeen({ seen }: WatchingClient, values: readonly string[]): Promise<void> {
  await untilTrue(`the client that watches sees ${values.at(-1)}`, async () => seen.length >= values.length);
  expect(seen).toEqual(values);
}

/** Every key with its version and revisions, as of a revision. */
async function everyKey({ kv }: MemberClient, revision = 0n): Promise<readonly string[]> {
  const range = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0), keysOnly: true, revision };
  const { kvs } = await kv.range(range);
  return kvs.map(
    ({ key, version, createRevision, modRevision }) =>
      `${Buffer.from(key).toString()} v${version} ${createRevision} ${modRevision}`,
  );
}

interface Options {
  /** The situation whose backup is restored. @default a new backup */
  readonly from?: string;
  /** More of the EtcdBackup. */
  readonly backup?: object;
  /** More of the EtcdRestore. */
  readonly restore?: object;
  /** Called when the EtcdRestore has been created. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** A cluster with 10,000 keys that is brought into one situation after the other. */
class Subject {
  readonly #its: BackupScene;
  readonly #size: number;

  static async create(its: BackupScene, spec: { readonly size: number; readonly version: string }): Promise<Subject> {
    await its.scene.create(etcdCluster(its.name, spec));
    await its.untilHealthy(spec.size);
    await its.onMember((member) => fillStore(member, 10_000));
    return new Subject(its, spec.size);
  }

  private constructor(its: BackupScene, size: number) {
    this.#its = its;
    this.#size = size;
  }

  /** Takes a backup, brings the cluster into a situation, restores it, and compares everything. */
  async restored(situation: string, harm: () => Promise<unknown>, options: Options = {}): Promise<void> {
    const its = this.#its;
    const object = `${its.name}-${situation}`;
    const key = `${its.name}-${options.from ?? situation}`;
    if (!options.from) {
      await its.createBackup(key, key, options.backup);
      await its.untilSucceeded('etcdbackup', key);
    }
    const saved = await its.onMember(storeContents);
    await its.put('watched', 'newer than the backup');
    const { revision } = await its.onMember(storeContents);
    using watching = new WatchingClient(() => its.someMember(), 'watched', revision);
    await untilSeen(watching, ['newer than the backup']);
    await harm();
    await its.createRestore(key, object, options.restore);
    await options.meanwhile?.();
    await its.untilSucceeded('etcdrestore', object);
    await untilTrue('it has its size', async () => (await this.read()).status?.readySize === this.#size);
    await untilSeen(watching, ['newer than the backup', 'compacted']);
    expect((await its.onMember(storeContents)).keys).toEqual(saved.keys);
  }

  read(): Promise<EtcdCluster> {
    return this.#its.scene.get('etcdcluster', this.#its.name);
  }

  change(spec: object): Promise<string> {
    const patch = `--patch=${JSON.stringify({ spec })}`;
    return this.#its.scene.kubectl('patch', 'etcdcluster', this.#its.name, '--type=merge', patch);
  }

  /** Deletes this many of its pods. It is paused until `resume`, because its operator would heal it meanwhile. */
  async lose(count: number): Promise<void> {
    const { scene, name } = this.#its;
    await this.change({ paused: true });
    await untilTrue('it is paused', async () => (await this.read()).status?.controlPaused === true);
    const found = await scene.list<Pod>('pod', selector(name));
    const present = found.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    await scene.kubectl('delete', 'pod', ...present.slice(0, count).map(nameOf), '--grace-period=0', '--force');
  }

  resume(): Promise<string> {
    return this.change({ paused: false });
  }
}

test.concurrent(
  'without volumes: healthy, without a quorum, Failed, and with an EtcdCluster that is gone',
  async () => {
    const plain = await Subject.create(here, { size: 3, version: '3.6.16' });
    const { metadata } = await plain.read();
    await plain.restored('healthy', async () => undefined);
    // The cluster has had more incarnations than the backup: it must not reuse the number of an earlier one.
    await plain.restored('without-quorum', () => plain.lose(2), { from: 'healthy', meanwhile: () => plain.resume() });
    await plain.restored('failed', async () => {
      await plain.lose(3);
      await plain.resume();
      await untilTrue('it has failed', async () => (await plain.read()).status?.phase === 'Failed');
    });
    expect((await plain.read()).metadata?.uid).toBe(metadata?.uid);
    await plain.restored('from-manifest', () => here.scene.kubectl('delete', 'etcdcluster', here.name));
    const { spec, metadata: made } = await plain.read();
    expect(spec).toMatchObject({ size: 3, version: '3.6.16' });
    expect(made?.uid).not.toBe(metadata?.uid);
  },
  patience,
);

test.concurrent(
  'with TLS and on volumes: degraded, and with all pods and volumes gone',
  async () => {
    const its = here.besides('secured');
    its.trust = await secureCluster(its.scene, its.name);
    const persistentVolumeClaimSpec = {
      storageClassName: volumes.storageClass,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '512Mi' } },
    };
    const spec = { size: 3, version: '3.7.3', TLS: staticTls, pod: { persistentVolumeClaimSpec } };
    const secured = await Subject.create(its, spec);
    const meanwhile = () => secured.resume();
    await secured.restored('degraded', () => secured.lose(1), { meanwhile });
    const everything = async () => {
      await secured.lose(3);
      await its.scene.kubectl('delete', 'pvc', '--selector', selector(its.name));
    };
    await secured.restored('gone', everything, { meanwhile });
    expect((await secured.read()).status).toMatchObject({ currentVersion: '3.7.3', incarnation: 3 });
  },
  patience,
);

test.concurrent(
  'fault 21, without a backup: two of three members are lost with their volumes, and the third has everything',
  async () => {
    const its = here.besides('beheaded');
    const { scene, name } = its;
    const persistentVolumeClaimSpec = {
      storageClassName: volumes.storageClass,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '512Mi' } },
    };
    const wanted = { size: 3, version: '3.6.16', pod: { persistentVolumeClaimSpec } };
    const beheaded = await Subject.create(its, wanted);
    const { keys } = await its.onMember(storeContents);
    await beheaded.change({ paused: true });
    await untilTrue('it is paused', async () => (await beheaded.read()).status?.controlPaused === true);
    const members = await scene.list<Pod>('pod', selector(name));
    const [first = '', second = '', survivor = ''] = members.map(nameOf);
    await using writing = new WritingClient(openMember(members[2]?.status?.podIP ?? ''));
    await untilTrue('100 writes', async () => writing.acknowledged.length >= 100);
    await scene.kubectl('delete', 'pvc', first, second, '--wait=false');
    await scene.kubectl('delete', 'pod', first, second, '--grace-period=0', '--force');
    const spec = { etcdCluster: { name }, source: { survivor: {} } };
    await scene.create({
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdRestore',
      metadata: { name },
      spec,
    });
    expect(await its.untilSucceeded('etcdrestore', name)).toMatchObject({ source: { survivor: { member: survivor } } });
    await its.untilHealthy();
    const acknowledged = await writing.stop();
    const written = await its.onMember(writtenKeys);
    expect(acknowledged.filter((key) => !written.has(key))).toEqual([]);
    const found = new Set((await its.onMember(storeContents)).keys);
    expect(keys.filter((key) => !found.has(key))).toEqual([]);
    expect((await beheaded.read()).status).toMatchObject({ incarnation: 2 });
  },
  patience,
);

test.concurrent(
  'with authentication: paused, and with an EtcdCluster that is gone, by a spec in the restore',
  async () => {
    const its = here.besides('locked');
    const { scene, name } = its;
    const login = { name: 'root', password: 'correct horse' };
    const fields = [`--from-literal=username=${login.name}`, `--from-literal=password=${login.password}`];
    await scene.kubectl('create', 'secret', 'generic', 'login', ...fields);
    const spec = { size: 1, version: '3.5.35', auth: { secret: 'login' } };
    const locked = await Subject.create(its, spec);
    await its.onMember(({ auth }) => enableAuthentication(auth, login));
    its.login = login;
    const backup = { auth: spec.auth };
    await locked.restored('paused', () => locked.change({ paused: true }), { backup });
    expect((await locked.read()).spec.paused).toBe(true);
    const gone = () => scene.kubectl('delete', 'etcdcluster', name);
    await locked.restored('from-inline', gone, { backup, restore: { clusterSpec: spec } });
  },
  patience,
);

async function enableAuthentication(auth: Auth, { name, password }: Login): Promise<void> {
  // An interrupted change cannot be repeated.
  const patiently = { timeoutMs: 60_000 };
  await auth.userAdd(name, password, patiently);
  await auth.roleAdd('root', patiently);
  await auth.userGrantRole(name, 'root', patiently);
  await auth.enable(patiently);
}

test.concurrent(
  'in the middle of an upgrade, with the version that was asked for',
  async () => {
    const its = here.besides('upgraded');
    const upgraded = await Subject.create(its, { size: 3, version: '3.4.23' });
    await upgraded.restored('mid-upgrade', async () => {
      await upgraded.change({ version: '3.5.35' });
      await untilTrue('it upgrades', async () => (await upgraded.read()).status?.targetVersion === '3.5.35');
    });
    expect((await upgraded.read()).status).toMatchObject({ currentVersion: '3.5.35', incarnation: 2 });
  },
  patience,
);

test.concurrent(
  'to a point in time: everything that was acknowledged before it is there, and nothing of what went wrong after it',
  async () => {
    const its = here.besides('rewound');
    const { scene, name } = its;
    await Subject.create(its, { size: 3, version: '3.7.3' });
    await its.createBackup(name, name, { backupPolicy: { backupIntervalInSecond: 3_600 }, continuous: {} });
    const recorded = async (revision: bigint) => {
      const { status } = await scene.get<EtcdBackup>('etcdbackup', name);
      return BigInt(status?.recoveryPoint?.revision ?? 0) >= revision;
    };
    const [pod] = await scene.list<Pod>('pod', selector(name));
    await using writing = new WritingClient(openMember(pod?.status?.podIP ?? ''));
    await untilTrue('changes are recorded', () => recorded(1n));
    const enough = writing.acknowledged.length + 200;
    await untilTrue('200 more writes', async () => writing.acknowledged.length >= enough);
    const before = [...writing.acknowledged];
    const { header } = await its.onMember(({ kv }) => kv.put({ key: toBytes('deployment'), value: toBytes('good') }));
    const after = writing.acknowledged.length + 50;
    await untilTrue('50 writes after that', async () => writing.acknowledged.length >= after);
    await writing.stop();
    const good = await its.onMember((member) => everyKey(member, header.revision));
    // The deployment that went wrong.
    const { header: last } = await its.onMember(({ kv }) =>
      kv.deleteRange({ key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) }),
    );
    await untilTrue('all of it is recorded', () => recorded(last.revision));
    await its.createRestore(name, name, { pointInTime: { revision: Number(header.revision) } });
    await its.untilSucceeded('etcdrestore', name);
    await its.untilHealthy();
    const written = await its.onMember(writtenKeys);
    expect(before.filter((key) => !written.has(key))).toEqual([]);
    expect(await its.read('deployment')).toBe('good');
    expect(await its.onMember(everyKey)).toEqual(good);
    expect((await its.onMember(storeContents)).revision).toBeGreaterThan(last.revision);
  },
  patience,
);
