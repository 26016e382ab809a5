// SPDX-License-Identifier: Apache-2.0
import { events, persistentVolumeClaims } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { automatic, onVolumes, RecoveryScene } from './testing/recovery-scene.ts';

const namespace = 'default';

let scene: RecoveryScene;
beforeAll(async () => {
  scene = await RecoveryScene.start();
});
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
});

test('fault 21: two of three members lost for good: recovered once from the third if the policy is Automatic, also by two operators at once', async () => {
  const { clusters, client } = scene;
  const before = await scene.made('auto', { ...onVolumes, recovery: automatic });
  for (let index = 0; index < 50; index++) await clusters.put('auto', `w${index}`, 'kept');
  const [survivor = '', ...lost] = await scene.namesOf('auto');
  await clusters.stopOperator();
  await scene.lose(lost);
  clusters.startOperator();
  const second = await clusters.secondOperator();
  await scene.says('auto', `After 10 s without a quorum the operator recovers from member ${survivor}`);
  expect(await scene.restoresOf('auto')).toEqual([]);
  const after = await scene.recovered('auto');
  await second.stop();
  const found = await scene.restoresOf('auto');
  expect(found.map(({ metadata }) => metadata?.name)).toEqual([`auto-recovery-${before.status?.clusterID}`]);
  expect(found[0]?.metadata?.ownerReferences?.map(({ uid }) => uid)).toEqual([before.metadata?.uid]);
  expect(found[0]?.status?.source?.survivor?.member).toBe(survivor);
  expect(after.status?.clusterID).not.toBe(before.status?.clusterID);
  for (let index = 0; index < 50; index++) expect(await clusters.read('auto', `w${index}`)).toBe('kept');
  // The survivor's volume is kept, beside those of the new incarnation.
  expect((await client.resource(persistentVolumeClaims).get({ namespace, name: survivor })).metadata?.name).toBe(
    survivor,
  );
  const { items } = await client.resource(events).list({ namespace });
  const told = items.filter(({ reason }) => reason === 'RecoveringQuorum');
  expect(told[0]?.message).toContain('are permanently lost');
}, 300_000);
