// SPDX-License-Identifier: Apache-2.0
import { type Job, jobs, type Pod, pods } from '@operator-parts/kube';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';
import { formatIndexes, parseIndexes } from './job-plan.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

function job(change: Partial<NonNullable<Job['spec']>> = {}): Job {
  return { metadata: { name: 'j' }, spec: { template: { spec: podSpec({ restartPolicy: 'Never' }) }, ...change } };
}

const status = async () => (await world.get(jobs, 'j')).status;
const end = async () => (await status())?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
const running = async (): Promise<readonly Pod[]> =>
  (await world.list(pods)).filter(({ status: each }) => each?.phase === 'Running');
const runningCount = (count: number) => world.until(async () => (await running()).length === count);

async function finish(phase: 'Succeeded' | 'Failed'): Promise<void> {
  const [pod] = await running();
  if (!pod) throw new Error('no pod runs');
  await world.setPod(pod, phase);
}

describe('a job', () => {
  test('is complete when its pod has succeeded', async () => {
    await world.create(jobs, job());
    await runningCount(1);
    expect(await status()).toMatchObject({ active: 1, startTime: '2026-01-01T00:00:00Z' });
    await finish('Succeeded');
    await world.until(async () => (await end()) !== undefined);
    await world.rest();
    expect(await status()).toMatchObject({ succeeded: 1, completionTime: '2026-01-01T00:00:00Z' });
    expect((await status())?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    const [pod] = await world.list(pods);
    expect(pod?.metadata?.finalizers ?? []).toEqual([]);
  });

  test('runs at most the given number of pods at once, and in total', async () => {
    await world.create(jobs, job({ completions: 5, parallelism: 2 }));
    for (let done = 0; done < 5; done++) {
      await runningCount(Math.min(2, 5 - done));
      await finish('Succeeded');
    }
    await world.until(async () => (await end())?.type === 'Complete');
    expect(await status()).toMatchObject({ succeeded: 5 });
    expect(await world.list(pods)).toHaveLength(5);
  });

  test('tries again with growing delays, and gives up after its limit', async () => {
    await world.create(jobs, job({ backoffLimit: 2 }));
    for (const delay of [10_000, 20_000]) {
      await runningCount(1);
      await finish('Failed');
      await world.until(async () => (await running()).length === 0);
      await world.clock.advance(delay - 1);
      await world.rest();
      expect(await running()).toHaveLength(0);
      await world.clock.advance(1);
    }
    await runningCount(1);
    await finish('Failed');
    await world.until(async () => (await end())?.type === 'Failed');
    expect(await end()).toMatchObject({ reason: 'BackoffLimitExceeded' });
    expect(await status()).toMatchObject({ failed: 3 });
  });

  test('that takes too long has failed, and its pods go', async () => {
    await world.create(jobs, job({ activeDeadlineSeconds: 30 }));
    await runningCount(1);
    await world.clock.advance(30_000);
    await world.until(async () => (await end()) !== undefined);
    expect(await end()).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' });
    await world.until(async () => (await world.podNames()).length === 0);
  });

  test('that is suspended has no pods until it goes on', async () => {
    await world.create(jobs, job({ suspend: true }));
    await world.rest();
    expect(await world.podNames()).toEqual([]);
    await world.patch(jobs, 'j', { spec: { suspend: false } });
    await runningCount(1);
    await world.patch(jobs, 'j', { spec: { suspend: true } });
    await world.until(async () => (await world.podNames()).length === 0);
    expect((await status())?.conditions).toContainEqual(expect.objectContaining({ type: 'Suspended', status: 'True' }));
  });

  test('with indexes runs each of them to success', async () => {
    await world.create(jobs, job({ completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await runningCount(3);
    const indexes = (await running()).map(
      ({ metadata }) => metadata?.annotations?.['batch.kubernetes.io/job-completion-index'],
    );
    expect(new Set(indexes)).toEqual(new Set(['0', '1', '2']));
    for (let left = 3; left > 0; left--) {
      await runningCount(left);
      await finish('Succeeded');
    }
    await world.until(async () => (await end())?.type === 'Complete');
    expect(await status()).toMatchObject({ completedIndexes: '0-2' });
  });

  test('is deleted some time after its end, with its pods', async () => {
    await world.create(jobs, job({ ttlSecondsAfterFinished: 60 }));
    await runningCount(1);
    await finish('Succeeded');
    await world.until(async () => (await end()) !== undefined);
    await world.rest();
    await world.clock.advance(60_000);
    await world.until(async () => (await world.list(jobs)).length === 0);
    await world.until(async () => (await world.list(pods)).length === 0);
    expect(await world.list(jobs)).toEqual([]);
  });
});

test('a list of indexes is read as it is written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), (indexes) => {
      expect(parseIndexes(formatIndexes(indexes))).toEqual(indexes.toSorted((left, right) => left - right));
    }),
  );
  expect(formatIndexes([0, 2, 3, 4, 7])).toBe('0,2-4,7');
});
