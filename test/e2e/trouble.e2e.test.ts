// SPDX-License-Identifier: Apache-2.0
/** Failures around a cluster on a real kubelet, and the operator's reaction. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebootPods } from './testing/reboot.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene } from './testing/scenes/operator-scene.ts';
import { mainStatus } from './testing/scenes/pods.ts';
import type { Scene } from './testing/scenes/scene.ts';
import { until, untilTrue } from './testing/until.ts';

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('trouble');
  scene = here.scene;
});

afterAll(() => here?.[Symbol.asyncDispose]());

interface Status {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const conditionOf = async (name: string, type: string) => {
  const { status } = await scene.get<Status>('etcdcluster', name);
  return status?.conditions?.find((condition) => condition.type === type)?.status;
};

test.concurrent('a node that reboots loses nothing: the same pods come back with their data', async () => {
  await using _cluster = await here.threeMembers('rebooted');
  const before = new Set((await here.members('rebooted')).map(({ metadata }) => metadata?.uid));
  const history = await here.whileWriting('rebooted', async () => {
    const containers = async () => (await here.members('rebooted')).map((pod) => mainStatus(pod)?.containerID ?? '');
    const ended = await containers();
    rebootPods(scene.cluster, await here.members('rebooted'));
    // By the kubelet's report: on a fast machine they may be back before a failure is noticed.
    await untilTrue('the kubelet has restarted all of them', async () => {
      const now = await containers();
      return now.length === 3 && now.every((id) => id !== '' && !ended.includes(id));
    });
    await here.untilHealthy('rebooted', 3);
  });
  expect(history).toMatchObject(nothingLost);
  expect(new Set((await here.members('rebooted')).map(({ metadata }) => metadata?.uid))).toEqual(before);
});

test.concurrent('a cluster whose version cannot be pulled comes up as soon as the version is corrected', async () => {
  const bootstrap = async () => {
    await scene.create(etcdCluster('mistyped', { size: 3, version: '3.6.99' }));
    await until('its first pod cannot be started', async () => {
      const [seed] = await here.members('mistyped');
      const reason = seed?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
      return reason === 'ErrImagePull' || reason === 'ImagePullBackOff' ? reason : undefined;
    });
    await here.change('mistyped', { version: '3.6.16' });
    await here.untilHealthy('mistyped', 3);
  };
  expect(await here.whileWriting('mistyped', bootstrap, { before: 0 })).toMatchObject(nothingLost);
  expect((await here.view('mistyped')).versions).toEqual(['3.6.16', '3.6.16', '3.6.16']);
  await scene.kubectl('delete', 'etcdcluster', 'mistyped', '--wait=false');
});

test.concurrent('fault 21: when the majority is lost the operator says so and changes nothing', async () => {
  await using _cluster = await here.threeMembers('beheaded');
  const [first, second, survivor] = (await here.members('beheaded')).map(nameOf);
  await scene.kubectl('delete', 'pod', first ?? '', second ?? '', '--grace-period=0', '--force');
  await untilTrue(
    'it says that it is not available',
    async () => (await conditionOf('beheaded', 'Available')) === 'False',
  );
  // Long enough for a premature reaction to be noticed.
  for (let round = 0; round < 10; round++) {
    expect((await here.members('beheaded')).map(nameOf)).toContain(survivor);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  expect((await here.members('beheaded')).map(nameOf)).toEqual([survivor]);
});
