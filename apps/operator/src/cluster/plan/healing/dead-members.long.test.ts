// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cutOffNode } from '../../../testing/cut-off-node.ts';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 4 });
  await ground.create('split', { size: 3, pod: { replaceAfter: '20s', antiAffinity: true } });
  const { status } = await ground.settled('split');
  expect(status?.readySize).toBe(3);
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test.each([1, 2, 3, 4, 5])(
  'round %d: two of three nodes are cut off for 25 s, and nobody is replaced when they are back',
  async () => {
    const pods = await ground.pods('split');
    const before = {
      ids: await memberIds(ground, 'split'),
      uids: pods.map(({ metadata }) => metadata?.uid ?? '').sort(),
    };
    const cuts = await Promise.all(pods.slice(0, 2).map((pod) => cutOffNode(ground.lab, pod.spec?.nodeName ?? '')));
    await systemClock.sleep(25_000);
    await Promise.all(cuts.map((cut) => cut.heal()));
    await ground.settled('split');
    await systemClock.sleep(5_000);
    await ground.settled('split');
    expect(await memberIds(ground, 'split')).toEqual(before.ids);
    expect((await ground.pods('split')).map(({ metadata }) => metadata?.uid ?? '').sort()).toEqual(before.uids);
    await ground.put('split', 'a', '1');
  },
);

test('a member that died before the operator was started is replaced after spec.pod.replaceAfter, too', async () => {
  const victim = (await ground.get('split')).status?.memberDetails?.find(({ role }) => role === 'Follower');
  await ground.stopOperator();
  const frozen = await ground.lab.faults.pod.freeze({ namespace: 'default', name: victim?.name ?? '' });
  await systemClock.sleep(5_000);
  ground.startOperator();
  // The operator waits for a young pod, and to an operator that has just started every pod is young.
  await ground.until(
    'replaced',
    async () => ((await memberIds(ground, 'split')).includes(victim?.id ?? '') ? undefined : true),
    70_000,
    async () => JSON.stringify((await ground.get('split')).status),
  );
  await frozen.heal().catch(() => undefined);
  const { status } = await ground.settled('split');
  expect(status?.readySize).toBe(3);
});
