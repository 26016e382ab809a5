// SPDX-License-Identifier: Apache-2.0
/** The drop-in test: a cluster of the original operator, taken over on a real kubelet with no pod restarted. */
import type { Pod } from '@etcd-operator/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineKinds } from './testing/manifests.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene } from './testing/operator-scene.ts';
import { type OriginalCluster, originalPod, originalServices } from './testing/original-cluster.ts';
import { isReady } from './testing/pods.ts';
import { openScene, type Scene } from './testing/scene.ts';

const members = ['old-bcdfghjklm', 'old-npqrstvwxz', 'old-2456789bcd'];
let scene: Scene;
let here: OperatorScene;
let before: readonly Pod[];

/** What the original operator leaves behind when it is gone. */
beforeAll(async () => {
  scene = await openScene('adoption');
  await defineKinds(scene);
  await scene.create(etcdCluster('old', { size: 3, version: '3.3.25', repository: 'quay.io/coreos/etcd' }));
  const { metadata } = await scene.get<{ readonly metadata: { readonly uid: string } }>('etcdcluster', 'old');
  const original: OriginalCluster = {
    name: 'old',
    namespace: scene.namespace,
    uid: metadata.uid,
    version: '3.3.25',
    members,
  };
  await scene.create(...originalServices(original, true), ...members.map((member) => originalPod(original, member)));
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
