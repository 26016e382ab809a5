// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 5 });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const details = async (cluster: string) => (await ground.get(cluster)).status?.memberDetails ?? [];
const memberIds = async (cluster: string) => (await details(cluster)).map(({ id }) => id ?? '').sort();
const words = async (cluster: string) => {
  const { plan, conditions, memberDetails } = (await ground.get(cluster)).status ?? {};
  return JSON.stringify([plan, conditions, memberDetails]);
};

const on = (host: string) => ({ 'kubernetes.io/hostname': host });

/** Waits until one of these members is no longer listed and the cluster is healthy again. */
async function replaced(cluster: string, before: readonly string[]): Promise<void> {
  const isGone = (ids: readonly string[]) => before.some((id) => !ids.includes(id));
  await ground.until(
    'a member replaced',
    async () => (isGone(await memberIds(cluster)) ? true : undefined),
    180_000,
    () => words(cluster),
  );
  await ground.settled(cluster);
}

describe('nodes that go', () => {
  test('fault 34, operator rule 16: a drained node loses its member to another, and the budget keeps a quorum meanwhile', async () => {
    await ground.create('moving', { size: 3, pod: { replaceAfter: '5s' } });
    await ground.settled('moving');
    await ground.put('moving', 'a', '1');
    const before = await memberIds('moving');
    const hosts = (await ground.pods('moving')).map(({ spec }) => spec?.nodeName ?? '');
    const [first = '', second = ''] = [...new Set(hosts)];
    // Both nodes are drained at once: the budget allows the second eviction only after the first member was replaced.
    const drains = await Promise.all([first, second].map((host) => ground.lab.faults.node.drain(host)));
    await replaced('moving', before);
    const after = (await ground.pods('moving')).map(({ spec }) => spec?.nodeName ?? '');
    expect(after.filter((host) => host === first || host === second)).toEqual([]);
    expect(await ground.read('moving', 'a')).toBe('1');
    await Promise.all(drains.map((drain) => drain.heal()));
  });

  test('[56] fault 32, operator rules 19 and 25: a node that is lost is noticed by etcd, not by pods, and replaced after spec.pod.replaceAfter', async () => {
    const before = await memberIds('moving');
    const [victim] = await ground.pods('moving');
    await ground.lab.faults.node.lose(victim?.spec?.nodeName ?? '');
    await replaced('moving', before);
    expect(await ground.read('moving', 'a')).toBe('1');
  });
});

describe('pods that cannot start', () => {
  test('[54] a pod that finds no node is reported, and a corrected spec heals it at once', async () => {
    await ground.create('homeless', { size: 1, pod: { nodeSelector: on('nowhere') } });
    await ground.until('reported', async () =>
      (await words('homeless')).includes('to be scheduled') ? true : undefined,
    );
    // Pods of the deleted node stay in the API as terminating until a controller or a person removes them.
    const alive = (await ground.pods('moving')).find(({ metadata }) => metadata?.deletionTimestamp === undefined);
    await ground.change('homeless', { pod: { nodeSelector: on(alive?.spec?.nodeName ?? '') } });
    expect((await ground.settled('homeless')).status?.readySize).toBe(1);
  });

  test('[54] fault 15: growth that is stuck is reported, the voters serve on, and shrinking back ends it', async () => {
    await ground.change('homeless', { size: 3, pod: { nodeSelector: on('nowhere') } });
    await ground.until('reported', async () =>
      (await words('homeless')).includes('nodes are available') ? true : undefined,
    );
    await ground.put('homeless', 'a', '1');
    expect(await ground.read('homeless', 'a')).toBe('1');
    await ground.change('homeless', { size: 1 });
    await ground.until('one member', async () => ((await memberIds('homeless')).length === 1 ? true : undefined));
  });
});
