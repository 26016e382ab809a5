// SPDX-License-Identifier: Apache-2.0
/**
 * The main features of the operator on this Kubernetes: installed by the one file, a cluster on volumes goes through
 * all operations. `kubernetes-versions.long.test.ts` runs it on each version; docs/guide/support.md has a column for
 * each test.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rights } from '@etcd-operator/tools/deploy';
import { refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import type { Node, PersistentVolumeClaim, Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { theCluster } from './testing/cluster.ts';
import { type LocalVolumes, startLocalVolumes } from './testing/local-volumes.ts';
import { BackupScene } from './testing/scenes/backup-scene.ts';
import { complaints, root } from './testing/scenes/manifests.ts';
import { etcdCluster, nameOf, selector } from './testing/scenes/operator-scene.ts';
import { type Scene, sceneIn } from './testing/scenes/scene.ts';
import { until, untilTrue } from './testing/until.ts';

const name = 'lived';
const [before, after] = ['3.6.16', '3.7.3'];
const object = `etcdcluster/${name}`;
let home: Scene;
let here: BackupScene;
let volumes: LocalVolumes;

beforeAll(async () => {
  const cluster = await theCluster();
  home = sceneIn(cluster, 'etcd-operator');
  volumes = await startLocalVolumes(cluster);
});

afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await volumes?.[Symbol.asyncDispose]();
});

test('install.yaml and the admission policy are accepted without a warning', async () => {
  const { cluster } = home;
  const manifest = (file: string) => join(root, 'deploy', file);
  const apply = (file: string) => cluster.kubectl(['apply', '--server-side', '--filename', manifest(file)]);
  const { serverVersion } = JSON.parse(await cluster.kubectl(['version', '--output=json'])) as ServerVersion;
  const [node] = await home.list<Node>('node');
  expect([serverVersion.gitVersion, node?.status?.nodeInfo?.kubeletVersion]).toEqual(
    Array.from({ length: 2 }, () => `v${cluster.version}`),
  );
  // A dry run does not create the namespace, which later objects need.
  await apply('cluster-wide/namespace.yaml');
  for (const file of ['install.yaml', 'admission-policy.yaml']) {
    expect(await complaints(home, await readFile(manifest(file), 'utf8'))).toEqual([]);
    await apply(file);
  }
  await home.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
  await untilTrue('the API server has nothing to say about the expressions of the policy', async () => {
    const ask = ['get', 'validatingadmissionpolicies', '--output=jsonpath={.items[*].status.typeChecking}'];
    return (await cluster.kubectl(ask)) === '{} {}';
  });
});

interface ServerVersion {
  readonly serverVersion: { readonly gitVersion: string };
}

test('three members on volumes become Available', async () => {
  here = await BackupScene.open('lived', name);
  const { scene } = here;
  const persistentVolumeClaimSpec = {
    storageClassName: volumes.storageClass,
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '512Mi' } },
  };
  await scene.create(etcdCluster(name, { size: 3, version: before, pod: { persistentVolumeClaimSpec } }));
  await here.whileWriting(
    async () => {
      await scene.kubectl('wait', '--for=condition=Available', object, '--timeout=180s');
      await here.untilHealthy();
    },
    { before: 0 },
  );
  const claims = await scene.list<PersistentVolumeClaim>('pvc', selector(name));
  expect(claims.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound', 'Bound']);
});

test('what the operator notes is kept from others', async () => {
  const { scene } = here;
  await scene.kubectl('create', 'rolebinding', 'tenant', '--clusterrole=admin', '--user=tenant');
  const [pod] = await scene.list<Pod>('pod', selector(name));
  const annotation = 'etcd.database.coreos.com/member-id=ff';
  const change = ['annotate', 'pod', pod ? nameOf(pod) : '', annotation, '--overwrite', '--as=tenant'];
  expect(await scene.tryKubectl(change)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Only the etcd operator can change this'),
  });
});

test('an upgrade loses nothing', async () => {
  const { scene } = here;
  await here.whileWriting(async () => {
    await scene.kubectl('patch', object, '--type=merge', `--patch={"spec":{"version":"${after}"}}`);
    await scene.kubectl('wait', `--for=jsonpath={.status.currentVersion}=${after}`, object, '--timeout=240s');
    await here.untilHealthy();
  });
  expect((await here.onMember(({ maintenance }) => maintenance.status())).version).toBe(after);
});

test('kubectl scale loses nothing', async () => {
  const { scene } = here;
  await here.whileWriting(async () => {
    for (const size of [5, 3]) {
      await scene.kubectl('scale', object, `--replicas=${size}`);
      await scene.kubectl('wait', `--for=jsonpath={.status.size}=${size}`, object, '--timeout=240s');
      await here.untilHealthy(size);
    }
  });
  expect(await memberCount()).toBe(3);
});

/** The number of members in etcd. */
async function memberCount(): Promise<number> {
  return (await here.onMember(({ cluster }) => cluster.memberList())).members.length;
}

test('a pod that is killed is replaced', async () => {
  const { scene } = here;
  // Pods that were removed by scaling may still be terminating.
  const [killed] = await until('three pods and no other', async () => {
    const pods = await scene.list<Pod>('pod', selector(name));
    const isWhole = pods.length === 3 && pods.every(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return isWhole ? pods : undefined;
  });
  await here.whileWriting(async () => {
    await scene.kubectl('delete', 'pod', killed ? nameOf(killed) : '', '--grace-period=0', '--force');
    await untilTrue('another pod is in its place', async () => {
      const uids = (await scene.list<Pod>('pod', selector(name))).map(({ metadata }) => metadata?.uid);
      return uids.length === 3 && !uids.includes(killed?.metadata?.uid);
    });
    await here.untilHealthy();
  });
  expect(await memberCount()).toBe(3);
});

test('a backup and a restore succeed', async () => {
  await here.put('foo', 'bar');
  await here.whileWriting(async () => {
    await here.createBackup('one', 'lived/one');
    expect(await here.untilSucceeded('etcdbackup', 'one')).toMatchObject({ etcdVersion: after });
  });
  await here.put('foo', 'changed');
  await here.createRestore('lived/one');
  await here.untilSucceeded('etcdrestore', name);
  await here.untilHealthy();
  await here.whileWriting(async () => expect(await here.read('foo')).toBe('bar'));
});

test('the operator logs no error, is warned of nothing and refused nothing', async () => {
  const log = await home.kubectl('logs', '--selector=app.kubernetes.io/name=etcd-operator', '--tail=-1');
  const lines = log.trimEnd().split('\n');
  const isBad = (line: string) => {
    const { level, message } = JSON.parse(line) as { readonly level: string; readonly message: string };
    return level === 'error' || message === 'the API server warns';
  };
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter(isBad)).toEqual([]);
  const calls = await recordedCalls(home.cluster, (account) => account === 'etcd-operator:etcd-operator');
  expect(calls).toContainEqual(expect.objectContaining({ verb: 'patch', resource: 'etcdrestores/status' }));
  expect(refusedCalls(calls)).toEqual([]);
  expect(unknownCalls(calls, rights)).toEqual([]);
});
