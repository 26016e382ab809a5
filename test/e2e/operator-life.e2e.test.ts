// SPDX-License-Identifier: Apache-2.0
/** Operators come and go; clusters stay. */
import type { Pod } from '@etcd-operator/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdCluster, nameOf, nothingLost, OperatorScene, selector } from './testing/operator-scene.ts';
import type { Scene } from './testing/scene.ts';
import { until, untilTrue } from './testing/until.ts';

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('operator-life');
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

test('without an operator a cluster goes on and is not healed; a new operator heals it and restarts nobody (C-33)', async () => {
  await using _cluster = await here.threeMembers('orphaned');
  const history = await here.whileWriting('orphaned', async () => {
    await scene.kubectl('scale', 'deployment/etcd-operator', '--replicas=0');
    await scene.kubectl('wait', '--for=delete', 'pod', operatorPods, '--timeout=180s');
    const [gone, ...others] = await here.members('orphaned');
    await scene.kubectl('delete', 'pod', gone ? nameOf(gone) : '', '--grace-period=0', '--force');
    for (let look = 0; look < 5; look++) {
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
  await scene.create(etcdCluster('interrupted', { size: 3, version: '3.6.16' }));
  await untilTrue('a second pod', async () => (await here.members('interrupted')).length >= 2, {
    everyMilliseconds: 50,
  });
  await scene.kubectl('delete', 'pods', operatorPods, '--grace-period=0', '--force');
  await here.untilHealthy('interrupted', 3);
  expect((await here.members('interrupted')).length).toBe(3);
  await scene.kubectl('delete', 'etcdcluster', 'interrupted', '--wait=false');
});

interface Lease {
  readonly spec: { readonly holderIdentity?: string; readonly acquireTime?: string; readonly renewTime?: string };
}

test('a rolling update hands the work over at once', async () => {
  await using _cluster = await here.threeMembers('rolled');
  const history = await here.whileWriting('rolled', async () => {
    const before = await until('somebody leads', async () => {
      const { spec } = await scene.get<Lease>('lease', 'etcd-operator');
      return spec.holderIdentity ? spec : undefined;
    });
    await scene.kubectl('rollout', 'restart', 'deployment/etcd-operator');
    let last = Date.parse(before.renewTime ?? '');
    const after = await until(
      'the next one leads',
      async () => {
        const { spec } = await scene.get<Lease>('lease', 'etcd-operator');
        if (spec.holderIdentity && spec.holderIdentity !== before.holderIdentity) return spec;
        last = Math.max(last, Date.parse(spec.renewTime ?? ''));
        return undefined;
      },
      { everyMilliseconds: 50 },
    );
    // It was handed over; had it run out instead, that would have taken the 15 s it is good for.
    expect(Date.parse(after.acquireTime ?? '') - last).toBeLessThan(10_000);
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
    expect((await here.view('left')).healthy.length).toBe(3);
  });
  expect(history).toMatchObject(nothingLost);
  unchanged(before, await here.members('left'));
  await scene.kubectl('delete', 'etcdcluster', 'left');
  const left = () => scene.kubectl('get', 'pods,services,pdb,pvc', '--selector', selector('left'), '--output=name');
  await untilTrue('nothing is left', async () => (await left()) === '');
});
