// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  // A node counts as lost after a quarter of the usual 40 s.
  ground = await OperatorLab.start({ nodes: 4, timeFactor: 4 });
  await ground.create('split', { size: 3, pod: { replaceAfter: '12s', antiAffinity: true } });
  await ground.settled('split');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const key = (pod: Pod | undefined) => ({ namespace: 'default', name: pod?.metadata?.name ?? '' });
const available = async (cluster: string) =>
  (await ground.get(cluster)).status?.conditions?.find(({ type }) => type === 'Available');
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();

test('when a lost quorum returns, no member is replaced: neither one that answered all along, nor one that comes back a little later', async () => {
  await ground.put('split', 'a', '1');
  const before = { ids: await memberIds(ground, 'split'), uids: await uids('split') };
  const [first, second] = await ground.pods('split');
  const sooner = await ground.lab.faults.pod.freeze(key(first));
  const later = await ground.lab.faults.pod.freeze(key(second));
  // Longer than replaceAfter, and long enough that no pod is so young that the operator waits for it anyway.
  await systemClock.sleep(28_000);
  await sooner.heal();
  await ground.until(
    'quorum',
    async () => ((await available('split'))?.status === 'True' ? true : undefined),
    undefined,
    () => words('split'),
  );
  // The second member has been unreachable for much longer than that, but during that time nothing could be done about it.
  await systemClock.sleep(2_000);
  await later.heal();
  await ground.settled('split');
  expect(await memberIds(ground, 'split')).toEqual(before.ids);
  expect(await uids('split')).toEqual(before.uids);
  expect(await ground.read('split', 'a')).toBe('1');
});

test('fault 32: a member whose node is lost for good is replaced after spec.pod.replaceAfter', async () => {
  const victim = (await ground.get('split')).status?.memberDetails?.find(({ role }) => role === 'Follower');
  const pod = (await ground.pods('split')).find(({ metadata }) => metadata?.name === victim?.name);
  const start = systemClock.monotonic();
  await ground.lab.faults.node.lose(pod?.spec?.nodeName ?? '');
  await ground.until(
    'replaced',
    async () => ((await memberIds(ground, 'split')).includes(victim?.id ?? '') ? undefined : true),
    60_000,
    () => words('split'),
  );
  const took = systemClock.monotonic() - start;
  expect(took).toBeGreaterThan(12_000);
  expect(took).toBeLessThan(50_000);
  expect(await ground.read('split', 'a')).toBe('1');
});
