// SPDX-License-Identifier: Apache-2.0
/** The drop-in test: takes over a cluster of CoreOS etcd-operator on a real kubelet without restarting a pod. */

import { coreosPod, coreosServices } from '@etcd-operator/operator/testing';
import { addresses } from '@etcd-operator/tools/cluster';
import type { Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineKinds } from './testing/scenes/manifests.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene } from './testing/scenes/operator-scene.ts';
import { isReady } from './testing/scenes/pods.ts';
import { openScene, type Scene } from './testing/scenes/scene.ts';

const members = ['old-bcdfghjklm', 'old-npqrstvwxz', 'old-2456789bcd'];
let scene: Scene;
let here: OperatorScene;
let before: readonly Pod[];

/** The objects that CoreOS etcd-operator leaves behind. */
beforeAll(async () => {
  scene = await openScene('adoption');
  await defineKinds(scene);
  await scene.create(etcdCluster('old', { size: 3, version: '3.3.25', repository: 'quay.io/coreos/etcd' }));
  const { metadata } = await scene.get<{ readonly metadata: { readonly uid: string } }>('etcdcluster', 'old');
  const { uid } = metadata;
  const { domain } = addresses;
  const coreos = { name: 'old', namespace: scene.namespace, uid, version: '3.3.25', members, domain };
  await scene.create(...coreosServices(coreos), ...members.map((member) => coreosPod(coreos, member)));
  for (const member of members) await scene.podWhen(member, 'ready', isReady);
  await scene.kubectl('patch', 'service', 'old', '--patch={"spec":{"publishNotReadyAddresses":false}}');
  before = await scene.list<Pod>('pod', 'etcd_cluster=old');
  here = await OperatorScene.in(scene);
});

afterAll(() => here?.[Symbol.asyncDispose]());

function expectUntouched(after: readonly Pod[], except?: string): void {
  for (const pod of before.filter((one) => nameOf(one) !== except)) {
    const same = after.find((one) => nameOf(one) === nameOf(pod));
    expect(same?.metadata?.uid).toBe(pod.metadata?.uid);
    expect(same?.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      containerID: pod.status?.containerStatuses?.[0]?.containerID,
    });
  }
}

test('it is taken over without a restart, resized (C-40) and healed (C-41), under a client that writes all the time', async () => {
  const history = await here.whileWriting('old', async () => {
    await scene.kubectl('wait', '--for=condition=AdoptedPods', 'etcdcluster/old', '--timeout=180s');
    await scene.kubectl('wait', '--for=jsonpath={.status.readySize}=3', 'etcdcluster/old', '--timeout=180s');
    expectUntouched(await here.members('old'));

    await here.change('old', { size: 5 });
    await here.untilHealthy('old', 5);
    expectUntouched(await here.members('old'));

    const gone = members[2] ?? '';
    await scene.kubectl('delete', 'pod', gone, '--grace-period=0', '--force');
    await here.untilReplaced('old', 5, before.find((pod) => nameOf(pod) === gone) ?? {});
    expectUntouched(await here.members('old'), gone);
  });
  expect(history).toMatchObject(nothingLost);
  expect((await here.view('old')).versions).toEqual(Array.from({ length: 5 }, () => '3.3.25'));
});
