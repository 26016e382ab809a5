// SPDX-License-Identifier: Apache-2.0
/** What goes wrong around a cluster, on a real kubelet, and what the operator makes of it. */
import { addresses } from '@etcd-operator/tools/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdCluster, nameOf, nothingLost, OperatorScene, selector } from './testing/operator-scene.ts';
import { rebootPods } from './testing/reboot.ts';
import type { Scene } from './testing/scene.ts';
import { until, untilTrue } from './testing/until.ts';

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('trouble', ['etcd@3.6']);
  scene = here.scene;
});

afterAll(() => here[Symbol.asyncDispose]());

interface Status {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const conditionOf = async (name: string, type: string) => {
  const { status } = await scene.get<Status>('etcdcluster', name);
  return status?.conditions?.find((condition) => condition.type === type)?.status;
};

test('a node that reboots loses nothing: the same pods come back with their data', async () => {
  await using _cluster = await here.threeMembers('rebooted');
  const before = new Set((await here.members('rebooted')).map(({ metadata }) => metadata?.uid));
  const history = await here.whileWriting('rebooted', async () => {
    await until('a few writes', async () => ((await here.view('rebooted')).healthy.length === 3 ? true : undefined));
    rebootPods(scene.cluster, await here.members('rebooted'));
    await untilTrue('the members are down', async () => (await here.view('rebooted')).healthy.length === 0);
    await here.untilHealthy('rebooted', 3);
  });
  expect(history).toMatchObject(nothingLost);
  expect(new Set((await here.members('rebooted')).map(({ metadata }) => metadata?.uid))).toEqual(before);
});

test('a cluster whose version cannot be pulled comes up as soon as the version is corrected', async () => {
  await scene.create(etcdCluster('mistyped', { size: 3, version: '3.6.99' }));
  await until('its first pod cannot be started', async () => {
    const [seed] = await here.members('mistyped');
    const reason = seed?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    return reason === 'ErrImagePull' || reason === 'ImagePullBackOff' ? reason : undefined;
  });
  await here.change('mistyped', { version: '3.6.16' });
  await here.untilHealthy('mistyped', 3);
  expect((await here.view('mistyped')).versions).toEqual(['3.6.16', '3.6.16', '3.6.16']);
  await scene.kubectl('delete', 'etcdcluster', 'mistyped', '--wait=false');
});

test('a cluster goes on without its operator, and a new operator takes it over without a restart', async () => {
  await using _cluster = await here.threeMembers('orphaned');
  await scene.kubectl('scale', 'deployment/etcd-operator', '--replicas=0');
  await scene.kubectl('wait', '--for=delete', 'pod', '--selector=name=etcd-operator', '--timeout=60s');
  const before = await here.members('orphaned');
  expect((await here.view('orphaned')).healthy.length).toBe(3);
  await scene.kubectl('scale', 'deployment/etcd-operator', '--replicas=1');
  await scene.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=60s');
  await here.change('orphaned', { size: 4 });
  await here.untilHealthy('orphaned', 4);
  const after = await here.members('orphaned');
  for (const pod of before) {
    const same = after.find((other) => nameOf(other) === nameOf(pod));
    expect(same?.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0 });
  }
});

test('an operator that is killed while a cluster is being made finishes it after its return', async () => {
  await scene.create(etcdCluster('interrupted', { size: 3, version: '3.6.16' }));
  await untilTrue('a second pod', async () => (await here.members('interrupted')).length >= 2, {
    everyMilliseconds: 50,
  });
  await scene.kubectl('delete', 'pods', '--selector=name=etcd-operator', '--grace-period=0', '--force');
  await here.untilHealthy('interrupted', 3);
  expect((await here.members('interrupted')).length).toBe(3);
  await scene.kubectl('delete', 'etcdcluster', 'interrupted', '--wait=false');
});

test('a drain takes one member and is held back at the second; the member is replaced afterwards', async () => {
  await using _cluster = await here.threeMembers('drained');
  await using _schedulable = uncordonAtTheEnd();
  const drain = ['drain', addresses.nodeName, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=15s'];
  const history = await here.whileWriting('drained', async () => {
    const { status, stdout, stderr } = await scene.tryKubectl([...drain, '--pod-selector', selector('drained')]);
    expect(stdout + stderr).toContain('disruption budget');
    expect(status).toBe(1);
    expect((await here.view('drained')).healthy.length).toBe(2);
    await scene.cluster.kubectl(['uncordon', addresses.nodeName]);
    await here.untilHealthy('drained', 3);
  });
  expect(history).toMatchObject(nothingLost);
});

/** Whatever a test has come to, the next one finds a node that takes pods. */
function uncordonAtTheEnd(): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => void (await scene.cluster.kubectl(['uncordon', addresses.nodeName])),
  };
}

test('when the majority is lost the operator says so and changes nothing', async () => {
  await using _cluster = await here.threeMembers('beheaded');
  const [first, second, survivor] = (await here.members('beheaded')).map(nameOf);
  await scene.kubectl('delete', 'pod', first ?? '', second ?? '', '--grace-period=0', '--force');
  await untilTrue(
    'it says that it is not available',
    async () => (await conditionOf('beheaded', 'Available')) === 'False',
  );
  // Long enough for anything hasty to show.
  for (let look = 0; look < 10; look++) {
    expect((await here.members('beheaded')).map(nameOf)).toContain(survivor);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect((await here.members('beheaded')).map(nameOf)).toEqual([survivor]);
});
