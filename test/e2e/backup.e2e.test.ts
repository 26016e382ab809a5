// SPDX-License-Identifier: Apache-2.0
/** Backup and restore on a real kubelet with a real S3 server, by the three operators of deploy/base. */
import { join } from 'node:path';
import { toBytes } from '@etcd-operator/etcd';
import { rights } from '@etcd-operator/tools/deploy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { etcdPods, etcdView, withMember } from './testing/etcd-view.ts';
import { type AdminClient, adminClient } from './testing/kube-client.ts';
import { root } from './testing/manifests.ts';
import { etcdCluster, selector } from './testing/operator-scene.ts';
import { type ObjectStore, startStore } from './testing/s3.ts';
import { openScene, type Scene } from './testing/scene.ts';
import { until, untilTrue } from './testing/until.ts';

const name = 'kept';
let scene: Scene;
let store: ObjectStore;
let admin: AdminClient;

beforeAll(async () => {
  scene = await openScene('backup', { podSecurity: 'restricted' });
  admin = await adminClient(scene.cluster);
  await scene.cluster.kubectl([
    'apply',
    '--server-side',
    '--force-conflicts',
    '--kustomize',
    join(root, 'deploy/crds'),
  ]);
  await scene.kubectl('apply', '--kustomize', join(root, 'deploy/base'));
  store = await startStore(scene);
  await scene.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
  await scene.create(etcdCluster(name, { size: 3, version: '3.6.16' }));
  await untilHealthy();
});

afterAll(async () => {
  await scene?.tryKubectl(['delete', 'etcdbackups,etcdrestores,etcdclusters', '--all', '--timeout=180s']);
  await scene?.tryKubectl(['delete', 'deployment', 'etcd-operator', '--cascade=foreground']);
  await admin?.[Symbol.asyncDispose]();
  await scene?.[Symbol.asyncDispose]();
});

async function untilHealthy(): Promise<void> {
  const view = () => etcdView(admin.client, scene.namespace, selector(name));
  await untilTrue('three healthy members', async () => (await view()).healthy.length === 3, { seconds: 240 });
}

/** Some member that answers. */
async function onMember<T>(work: Parameters<typeof withMember<T>>[1]): Promise<T> {
  return until('a member answers', async () => {
    const [pod] = (await etcdPods(admin.client, scene.namespace, selector(name))).toSorted(() => Math.random() - 0.5);
    return withMember(pod?.status?.podIP ?? '', work);
  });
}

const put = (key: string, value: string) => onMember(({ kv }) => kv.put({ key: toBytes(key), value: toBytes(value) }));

async function read(key: string): Promise<string | undefined> {
  const { kvs } = await onMember(({ kv }) => kv.range({ key: toBytes(key) }));
  return kvs[0] && Buffer.from(kvs[0].value).toString('utf8');
}

interface Finished {
  readonly status?: {
    readonly succeeded?: boolean;
    readonly etcdVersion?: string;
    readonly etcdRevision?: number;
    readonly Reason?: string;
    readonly reason?: string;
  };
}

async function untilSucceeded(
  kind: 'etcdbackup' | 'etcdrestore',
  object: string,
): Promise<NonNullable<Finished['status']>> {
  let last: Finished = {};
  const ask = async () => {
    last = await scene.get<Finished>(kind, object);
    return last.status?.succeeded === true ? last.status : undefined;
  };
  return until(`${kind} ${object} succeeded`, ask, { seconds: 240 }).catch((cause: unknown) => {
    throw new Error(`${kind} ${object} was last seen as ${JSON.stringify(last.status)}`, { cause });
  });
}

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const backup = (object: string, key: string, more: object = {}) => ({
  apiVersion,
  kind: 'EtcdBackup',
  metadata: { name: object },
  spec: { etcdEndpoints: [`http://${name}-client:2379`], storageType: 'S3', s3: store.at(key), ...more },
});

test('a backup is in the bucket, with its version and revision in its status (C-30)', async () => {
  await put('foo', 'bar');
  await scene.create(backup('one', 'kept/one'));
  const status = await untilSucceeded('etcdbackup', 'one');
  expect(status).toMatchObject({ etcdVersion: '3.6.16' });
  expect(status.etcdRevision).toBeGreaterThan(1);
  expect(await store.keys()).toContain('kept/one');
});

test('periodic backups come, and the oldest go (C-32)', async () => {
  await scene.create(backup('often', 'often/it', { backupPolicy: { backupIntervalInSecond: 3, maxBackups: 2 } }));
  const present = async () => (await store.keys()).filter((key) => key.startsWith('often/')).toSorted();
  const first = await until('a first one', async () => (await present())[0], { everyMilliseconds: 1000 });
  const later = async () => {
    const keys = await present();
    return keys.length === 2 && !keys.includes(first) ? keys : undefined;
  };
  expect(await until('two others', later, { everyMilliseconds: 1000 })).toHaveLength(2);
  await scene.kubectl('delete', 'etcdbackup', 'often');
});

test('a restore brings back exactly what was in the backup (C-31)', async () => {
  await put('foo', 'changed');
  await put('later', 'yes');
  await scene.create({
    apiVersion,
    kind: 'EtcdRestore',
    metadata: { name },
    spec: { etcdCluster: { name }, backupStorageType: 'S3', s3: store.at('kept/one') },
  });
  await untilSucceeded('etcdrestore', name);
  await untilHealthy();
  expect(await read('foo')).toBe('bar');
  expect(await read('later')).toBeUndefined();
});

test('all of this was done with the rights of deploy/base, all of which were used', async () => {
  const calls = await recordedCalls(scene.cluster, (account) => account === `${scene.namespace}:etcd-operator`);
  expect(calls.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  const here = rights.filter(({ place }) => place === 'watched' || place === 'own');
  const unknown = calls.filter(
    (call) =>
      !here.some(
        (right) =>
          right.group === call.group &&
          right.resource === call.resource &&
          right.verbs.some((verb) => verb === call.verb),
      ),
  );
  expect(unknown).toEqual([]);
  const theirs = here.filter(({ programs }) => !programs.includes('etcd-operator'));
  const unused = theirs.flatMap(({ group, resource, verbs, rarely }) =>
    verbs
      .filter((verb) => rarely?.[verb] === undefined)
      .filter((verb) => !calls.some((call) => call.group === group && call.resource === resource && call.verb === verb))
      .map((verb) => `${verb} ${group}/${resource}`),
  );
  expect(unused).toEqual([]);
});
