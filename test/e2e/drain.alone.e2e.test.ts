// SPDX-License-Identifier: Apache-2.0
/** `kubectl drain` and disruption budgets (operator rule 16). */

import { addresses } from '@etcd-operator/tools/cluster';
import type { Pod, PodDisruptionBudget } from '@operator-parts/kube';
import { afterEach, expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';
import { nothingLost, OperatorScene, selector } from './testing/scenes/operator-scene.ts';
import { isReady, shellPod } from './testing/scenes/pods.ts';
import { openScene, type Scene } from './testing/scenes/scene.ts';
import { untilTrue } from './testing/until.ts';

const names = ['one', 'two', 'three'];
const labels = { app: 'members' };

afterEach(async () => {
  await (await theCluster()).kubectl(['uncordon', addresses.nodeName]);
});

const budget = (minAvailable: number) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'members' },
  spec: { minAvailable, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
});

async function threeReady(scene: Scene, minAvailable: number): Promise<void> {
  // Owned by an object without a controller, like a custom resource.
  await scene.kubectl('create', 'configmap', 'owner');
  const { metadata } = await scene.get<{ readonly metadata: { readonly uid: string } }>('configmap', 'owner');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid, controller: true };
  const pods = names.map((name) => {
    const pod = shellPod(name, { labels, volumes: [{ name: 'data', emptyDir: {} }] }) as { metadata: object };
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
  });
  await scene.create(budget(minAvailable), ...pods);
  for (const name of names) await scene.podWhen(name, 'ready', isReady);
  await untilCounted(scene, 'members');
}

/** Waits until a budget has counted its three members and allows one disruption. */
async function untilCounted(scene: Scene, budgetName: string): Promise<void> {
  await untilTrue('the budget has counted them', async () => {
    const { status } = await scene.get<PodDisruptionBudget>('pdb', budgetName);
    return status?.currentHealthy === names.length && status.disruptionsAllowed === 1;
  });
}

const drain = (scene: Scene, ...more: readonly string[]) =>
  scene.tryKubectl([
    'drain',
    addresses.nodeName,
    '--ignore-daemonsets',
    '--pod-selector=app=members',
    '--timeout=20s',
    ...more,
  ]);

test('a drain refuses pods with emptyDir unless a flag allows deleting their data', async () => {
  await using scene = await openScene('drain');
  await threeReady(scene, 2);
  const { status, stderr } = await drain(scene);
  expect(status).toBe(1);
  expect(stderr).toContain('cannot delete Pods with local storage');
  expect((await scene.list<Pod>('pod')).length).toBe(3);
});

test('a budget with an integer lets one of three go and holds back the second', async () => {
  await using scene = await openScene('drain');
  await threeReady(scene, 2);
  const { status, stdout, stderr } = await drain(scene, '--delete-emptydir-data');
  expect(status).toBe(1);
  expect(stdout + stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget");
  const left = (await scene.list<Pod>('pod')).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  expect(left.length).toBe(2);
});

test('fault 34: of an etcd cluster a drain takes one member and is held back at the second; the member is replaced afterwards', async () => {
  await using here = await OperatorScene.open('drained');
  await using _cluster = await here.threeMembers('drained');
  await untilCounted(here.scene, 'drained');
  const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=20s'];
  const history = await here.whileWriting('drained', async () => {
    const members = ['--pod-selector', selector('drained')];
    const { status, stdout, stderr } = await here.scene.tryKubectl([
      'drain',
      addresses.nodeName,
      ...options,
      ...members,
    ]);
    expect(stdout + stderr).toContain('disruption budget');
    expect(status).toBe(1);
    await untilTrue('two answer', async () => (await here.view('drained')).healthy.length === 2);
    await here.scene.cluster.kubectl(['uncordon', addresses.nodeName]);
    await here.untilHealthy('drained', 3);
  });
  expect(history).toMatchObject(nothingLost);
});
