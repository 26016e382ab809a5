// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@etcd-operator/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const details = async () => (await ground.get('plain')).status?.memberDetails ?? [];
const memberIds = async () => (await details()).map(({ id }) => id ?? '').sort();
const condition = async (type: string) =>
  (await ground.get('plain')).status?.conditions?.find((found) => found.type === type);
const environment = [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }];

describe('rule 7: a change that only new pods can carry, on emptyDir', () => {
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

  test('is made as a surge when asked for: one more, then one less, never fewer than there were', async () => {
    const before = await memberIds();
    const sizes = new Set<number>();
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        sizes.add((await details()).filter(({ role, healthy }) => role !== 'Learner' && healthy).length);
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
    expect([...sizes].sort((a, b) => a - b)).toEqual([3, 4]);
    expect(await condition('PodsOutdated')).toBeUndefined();
    expect(await ground.read('plain', 'a')).toBe('1');
    const pods = (await ground.pods('plain')).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const carried = pods.map(({ spec }) => spec?.containers.find(({ name }) => name === 'etcd')?.env?.at(-1));
    expect(carried).toEqual([environment[0], environment[0], environment[0]]);
  });
});
