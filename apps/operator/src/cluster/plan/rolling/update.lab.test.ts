// SPDX-License-Identifier: Apache-2.0
import { events } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const details = async () => (await ground.get('plain')).status?.memberDetails ?? [];
const memberIds = async () => (await details()).map(({ id }) => id ?? '').sort();
const condition = async (type: string) =>
  (await ground.get('plain')).status?.conditions?.find((found) => found.type === type);
/** The number of voters in etcd's own member list. */
const voters = async () => {
  using member = await ground.member('plain');
  const { members } = await member.cluster.memberList();
  return members.filter(({ isLearner }) => !isLearner).length;
};
/** The events about added and removed members, in order. */
const changes = async () => {
  const { items } = await ground.lab.client().resource(events).list({ namespace: 'default' });
  return items
    .filter(({ involvedObject, reason }) => involvedObject?.name === 'plain' && reason?.includes('Member'))
    .sort((a, b) => Number(a.metadata?.resourceVersion) - Number(b.metadata?.resourceVersion))
    .map(({ reason }) => reason);
};
const environment = [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }];

describe('operator rule 7: a change that only new pods can carry, on emptyDir', () => {
  test('is told with its cost and not made by itself', async () => {
    await ground.create('plain', { size: 3 });
    await ground.settled('plain');
    await ground.put('plain', 'a', '1');
    const before = await memberIds();
    await ground.change('plain', { pod: { etcdEnv: environment } });
    const told = await ground.until('told', async () => {
      const found = await condition('PodsOutdated');
      return found?.status === 'True' ? found : undefined;
    });
    expect(told.message).toContain('updatePolicy');
    expect(await memberIds()).toEqual(before);
  });

  test('replaces members when asked for: one more, then one less, never fewer than there were', async () => {
    const before = await memberIds();
    const changesBefore = await changes();
    const sizes = new Set<number>();
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        const count = await voters().catch(() => undefined);
        if (count !== undefined) sizes.add(count);
        await systemClock.sleep(20);
      }
    })();
    await ground.change('plain', { pod: { etcdEnv: environment, updatePolicy: 'Replace' } });
    await ground.until(
      'all replaced',
      async () => ((await memberIds()).some((id) => before.includes(id)) ? undefined : true),
      180_000,
    );
    await ground.settled('plain');
    watching.abort();
    await watch;
    // Four voters may exist only for milliseconds. The events show that a member was added before another was removed.
    expect(sizes).toContain(3);
    expect([...sizes].filter((size) => size !== 3 && size !== 4)).toEqual([]);
    const replaced = ['New Member Added', 'Member Removed'];
    const expected = [...changesBefore, ...replaced, ...replaced, ...replaced];
    await expect.poll(changes).toEqual(expected);
    expect(await condition('PodsOutdated')).toBeUndefined();
    expect(await ground.read('plain', 'a')).toBe('1');
    const pods = (await ground.pods('plain')).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const carried = pods.map(({ spec }) => spec?.containers.find(({ name }) => name === 'etcd')?.env?.at(-1));
    expect(carried).toEqual([environment[0], environment[0], environment[0]]);
  });
});
