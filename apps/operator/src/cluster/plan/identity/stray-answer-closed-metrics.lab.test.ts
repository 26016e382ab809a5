// SPDX-License-Identifier: Apache-2.0
import { metricsPort } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;
beforeAll(async () => {
  ground = await OperatorLab.start();
});
afterAll(() => ground?.[Symbol.asyncDispose]());

test('a Ready voter whose address leads only the operator astray stays, also where a network policy closes the metrics port', async () => {
  await ground.create('mine', { size: 3, pod: { replaceAfter: '5s' } });
  await ground.create('other', { size: 1 });
  await ground.settled('mine');
  await ground.settled('other');
  await ground.stopOperator();
  ground.startOperator({
    dial: (target, signal) => ground.paths.dial(target.port === metricsPort ? { ...target, port: 1 } : target, signal),
  });
  await ground.settled('mine');
  const victim = (await ground.get('mine')).status?.memberDetails?.find(({ role }) => role === 'Leader');
  const address =
    (await ground.pods('mine')).find(({ metadata }) => metadata?.name === victim?.name)?.status?.podIP ?? '';
  const elsewhere = (await ground.pods('other'))[0]?.status?.podIP ?? '';
  ground.paths.lead(address, elsewhere);
  const start = systemClock.monotonic();
  let gone: number | undefined;
  while (systemClock.monotonic() - start < 12_000 && gone === undefined) {
    await systemClock.sleep(250);
    const now = await memberIds(ground, 'mine');
    if (now.length > 0 && !now.includes(victim?.id ?? '')) gone = systemClock.monotonic() - start;
  }
  expect(gone).toBeUndefined();
});
