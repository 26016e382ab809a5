// SPDX-License-Identifier: Apache-2.0
/** Operators are replaced; clusters keep running. */
import { leases, type Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from './testing/kube-client.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene, selector } from './testing/scenes/operator-scene.ts';
import type { Scene } from './testing/scenes/scene.ts';
import { untilTrue } from './testing/until.ts';

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('operator-lifecycle');
  scene = here.scene;
});

afterAll(() => here?.[Symbol.asyncDispose]());

const operatorPods = '--selector=name=etcd-operator';

function unchanged(before: readonly Pod[], after: readonly Pod[]): void {
  for (const pod of before) {
    const same = after.find((other) => nameOf(other) === nameOf(pod));
    expect(same?.metadata?.uid).toBe(pod.metadata?.uid);
    expect(same?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0 });
  }
}

test('without an operator a cluster keeps serving and is not healed; a new operator heals it and restarts no other member (C-33)', async () => {
  await using _cluster = await here.threeMembers('orphaned');
  const history = await here.whileWriting('orphaned', async () => {
    await scene.kubectl('scale', 'deployment/etcd-operator', '--replicas=0');
    await scene.kubectl('wait', '--for=delete', 'pod', operatorPods, '--timeout=180s');
    const [gone, ...others] = await here.members('orphaned');
    await scene.kubectl('delete', 'pod', gone ? nameOf(gone) : '', '--grace-period=0', '--force');
    for (let round = 0; round < 5; round++) {
      expect((await here.members('orphaned')).length).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await scene.kubectl('scale', 'deployment/etcd-operator', '--replicas=1');
    await here.untilHealthy('orphaned', 3);
    unchanged(others, await here.members('orphaned'));
  });
  expect(history).toMatchObject(nothingLost);
});

test('an operator that is killed while a cluster is being made finishes it after its return', async () => {
  const interruptedBootstrap = async () => {
    await scene.create(etcdCluster('interrupted', { size: 3, version: '3.6.16' }));
    await untilTrue('a second pod', async () => (await here.members('interrupted')).length >= 2, {
      everyMilliseconds: 50,
    });
    await scene.kubectl('delete', 'pods', operatorPods, '--grace-period=0', '--force');
    await here.untilHealthy('interrupted', 3);
  };
  expect(await here.whileWriting('interrupted', interruptedBootstrap, { before: 0 })).toMatchObject(nothingLost);
  expect((await here.members('interrupted')).length).toBe(3);
  await scene.kubectl('delete', 'etcdcluster', 'interrupted', '--wait=false');
});

/**
 * Records the holders of the operator's lease from now on; `stop` resolves with all of them, with an empty name for no
 * holder.
 */
async function followHolders(): Promise<{ readonly holders: readonly string[]; stop(): Promise<void> }> {
  const admin = await adminClient(scene.cluster);
  const stopping = new AbortController();
  const holders: string[] = [];
  const { namespace } = scene;
  const lease = admin.client.resource(leases);
  const { items, metadata } = await lease.list({ namespace, fieldSelector: 'metadata.name=etcd-operator' });
  for (const { spec } of items) holders.push(spec?.holderIdentity ?? '');
  const following = (async () => {
    const from = {
      namespace,
      resourceVersion: metadata?.resourceVersion ?? '',
      fieldSelector: 'metadata.name=etcd-operator',
    };
    for await (const event of lease.watch({ ...from, signal: stopping.signal })) {
      if (event.type !== 'MODIFIED' && event.type !== 'ADDED') continue;
      const holder = event.object.spec?.holderIdentity ?? '';
      if (holder !== holders.at(-1)) holders.push(holder);
    }
  })().catch(() => undefined);
  return {
    holders,
    stop: async () => {
      stopping.abort();
      await following;
      await admin[Symbol.asyncDispose]();
    },
  };
}

test('a rolling update hands the work over instead of letting the lease run out', async () => {
  await using _cluster = await here.threeMembers('rolled');
  const history = await here.whileWriting('rolled', async () => {
    const followed = await followHolders();
    try {
      const [before] = followed.holders;
      expect(before).toMatch(/^etcd-operator-/);
      await scene.kubectl('rollout', 'restart', 'deployment/etcd-operator');
      const isTaken = async () => !['', before].includes(followed.holders.at(-1));
      await untilTrue('the next one leads', isTaken);
      // It was released: an expired lease would never have been seen without a holder.
      expect(followed.holders.slice(0, 2)).toEqual([before, '']);
    } finally {
      await followed.stop();
    }
    await here.change('rolled', { size: 4 });
    await here.untilHealthy('rolled', 4);
  });
  expect(history).toMatchObject(nothingLost);
});

test('an uninstalled operator leaves clusters running, and what is then deleted goes all the same', async () => {
  await here.threeMembers('left');
  const before = await here.members('left');
  const history = await here.whileWriting('left', async () => {
    await scene.kubectl('delete', 'deployment', 'etcd-operator', '--wait');
    await scene.kubectl('wait', '--for=delete', 'pod', operatorPods, '--timeout=180s');
    await scene.kubectl('delete', 'lease', 'etcd-operator', '--ignore-not-found');
    await here.untilHealthy('left', 3);
  });
  expect(history).toMatchObject(nothingLost);
  unchanged(before, await here.members('left'));
  await scene.kubectl('delete', 'etcdcluster', 'left');
  const left = () => scene.kubectl('get', 'pods,services,pdb,pvc', '--selector', selector('left'), '--output=name');
  await untilTrue('nothing is left', async () => (await left()) === '');
});
