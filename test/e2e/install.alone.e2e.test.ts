// SPDX-License-Identifier: Apache-2.0
/**
 * The other installations: one file for the whole cluster, and the Helm chart. Runs alone, because a cluster-wide
 * operator would manage the objects of other tests that have no operator at the moment.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rights } from '@etcd-operator/tools/deploy';
import { refusedCalls, unknownCalls } from '@etcd-operator/tools/deploy/testing';
import { expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { theCluster } from './testing/cluster.ts';
import { adminClient } from './testing/kube-client.ts';
import { recordWhile } from './testing/recording-client.ts';
import { etcdPods, etcdView } from './testing/scenes/etcd-view.ts';
import { chart, complaints, helm, root } from './testing/scenes/manifests.ts';
import { etcdCluster, nothingLost, selector } from './testing/scenes/operator-scene.ts';
import { openScene, type Scene, sceneIn } from './testing/scenes/scene.ts';
import { untilTrue } from './testing/until.ts';

async function untilHealthy(scene: Scene, name: string, size: number): Promise<void> {
  await using admin = await adminClient(scene.cluster);
  await untilTrue(
    `${size} healthy members of ${name}`,
    async () => (await etcdView(admin.client, scene.namespace, selector(name))).healthy.length === size,
  );
}

test('deploy/install.yaml is accepted without a warning; its operator looks after every namespace, and its rights are enough', async () => {
  const cluster = await theCluster();
  const file = join(root, 'deploy', 'install.yaml');
  const home = sceneIn(cluster, 'etcd-operator');
  // A dry run does not create the namespace, which later objects need.
  const namespace = join(root, 'deploy', 'cluster-wide', 'namespace.yaml');
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--filename', namespace]);
  expect(await complaints(home, await readFile(file, 'utf8'))).toEqual([]);
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--filename', file]);
  try {
    await home.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
    await using scene = await openScene('everywhere', { podSecurity: 'restricted' });
    await scene.create(etcdCluster('far', { size: 2, version: '3.6.16' }));
    await using admin = await adminClient(cluster);
    const options = { client: admin.client, namespace: scene.namespace, labelSelector: selector('far') };
    const history = await recordWhile(options, () => untilHealthy(scene, 'far', 2), { before: 0 });
    expect(history).toMatchObject(nothingLost);
    const isItself = (account: string) => account === 'etcd-operator:etcd-operator';
    const calls = await recordedCalls(cluster, isItself);
    expect(calls).toContainEqual(expect.objectContaining({ verb: 'watch', resource: 'nodes' }));
    expect(refusedCalls(calls)).toEqual([]);
    expect(unknownCalls(calls, rights)).toEqual([]);
    await scene.kubectl('delete', 'etcdcluster', 'far');
  } finally {
    // Everything except the CRDs, whose deletion would delete the clusters of other tests.
    await home.kubectl(
      'delete',
      'deployment,serviceaccount,role,rolebinding,pdb,networkpolicy',
      '--all',
      '--wait=false',
    );
    await cluster.kubectl([
      'delete',
      'clusterrole,clusterrolebinding',
      '--selector=app.kubernetes.io/name=etcd-operator',
    ]);
  }
});

test('people who may view or edit a namespace may do so with its clusters', async () => {
  await using scene = await openScene('people');
  await scene.cluster.kubectl(['apply', '--filename', join(root, 'deploy', 'cluster-wide', 'people.yaml')]);
  for (const role of ['view', 'edit', 'admin']) {
    await scene.kubectl('create', 'rolebinding', role, `--clusterrole=${role}`, `--user=${role}`);
  }
  const may = async (user: string, verb: string, subresource = '') => {
    const ask = ['auth', 'can-i', verb, 'etcdclusters', `--subresource=${subresource}`, `--as=${user}`];
    return (await scene.tryKubectl(ask)).stdout.trim();
  };
  // Roles are aggregated asynchronously, one after the other.
  const untilMay = (user: string, verb: string, subresource?: string) =>
    untilTrue(`${user} may ${verb}`, async () => (await may(user, verb, subresource)) === 'yes');
  for (const user of ['view', 'edit', 'admin']) await untilMay(user, 'list');
  expect(await may('view', 'create')).toBe('no');
  for (const user of ['edit', 'admin']) {
    await untilMay(user, 'create');
    await untilMay(user, 'update', 'scale');
    expect(await may(user, 'update', 'status')).toBe('no');
  }
});

test('with the chart for one namespace the operator looks after it; without it the clusters stay', async () => {
  await using scene = await openScene('chart', { podSecurity: 'restricted' });
  const release = ['etcd', `--namespace=${scene.namespace}`, '--timeout=180s'];
  await helm(scene, 'install', ...release, chart, '--set=clusterWide=false', '--skip-crds', '--wait');
  await scene.create(etcdCluster('near', { size: 2, version: '3.6.16' }));
  await untilHealthy(scene, 'near', 2);
  await using admin = await adminClient(scene.cluster);
  const uids = async () =>
    (await etcdPods(admin.client, scene.namespace, selector('near'))).map(({ metadata }) => metadata?.uid);
  const before = await uids();
  const options = { client: admin.client, namespace: scene.namespace, labelSelector: selector('near') };
  const history = await recordWhile(options, async () => {
    await helm(scene, 'uninstall', ...release, '--wait');
    await untilHealthy(scene, 'near', 2);
  });
  expect(history).toMatchObject(nothingLost);
  expect(new Set(await uids())).toEqual(new Set(before));
  const left = await scene.kubectl('get', 'deployments,roles,rolebindings,serviceaccounts,pdb', '--output=name');
  expect(
    left
      .trim()
      .split('\n')
      .filter((name) => name.includes('etcd-operator')),
  ).toEqual([]);
});
