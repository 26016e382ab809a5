// SPDX-License-Identifier: Apache-2.0
import { type CronJob, cronJobs, jobs, pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

describe('a cron job', () => {
  let world: ControllerWorld;

  beforeEach(async () => {
    world = await ControllerWorld.open();
    onTestFinished(() => world[Symbol.asyncDispose]());
  });

  const create = (change: Partial<NonNullable<CronJob['spec']>> = {}) =>
    world.create(cronJobs, {
      metadata: { name: 'c' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: podSpec({ restartPolicy: 'Never' }) } } },
        ...change,
      },
    });
  const names = async () => (await world.list(jobs)).map(({ metadata }) => metadata?.name ?? '').toSorted();
  const minutes = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      await world.clock.advance(60_000);
      await world.rest();
    }
  };
  const first = Date.parse('2026-01-01T00:01:00Z') / 60_000;

  test('makes a job each time, named after the time', async () => {
    await create();
    await world.rest();
    await minutes(2);
    expect(await names()).toEqual([`c-${first}`, `c-${first + 1}`]);
    const { status } = await world.get(cronJobs, 'c');
    expect(status).toMatchObject({ lastScheduleTime: '2026-01-01T00:02:00Z' });
    expect(status?.active).toHaveLength(2);
  });

  test('that forbids concurrency waits for the job before', async () => {
    await create({ concurrencyPolicy: 'Forbid' });
    await world.rest();
    await minutes(3);
    expect(await names()).toEqual([`c-${first}`]);
    const [pod] = await world.list(pods);
    if (pod) await world.setPod(pod, 'Succeeded');
    await world.rest();
    await minutes(1);
    expect(await names()).toHaveLength(2);
  });

  test('that replaces ends the job before', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await world.rest();
    await minutes(3);
    expect(await names()).toEqual([`c-${first + 2}`]);
  });

  test('that is suspended makes none, and is not too late for the last when it goes on', async () => {
    await create({ suspend: true, startingDeadlineSeconds: 90 });
    await world.rest();
    await minutes(5);
    expect(await names()).toEqual([]);
    await world.patch(cronJobs, 'c', { spec: { suspend: false } });
    await world.rest();
    expect(await names()).toEqual([`c-${first + 4}`]);
  });

  test('keeps only the given number of successful jobs', async () => {
    await create({ successfulJobsHistoryLimit: 1 });
    await world.rest();
    for (let turn = 0; turn < 3; turn++) {
      await minutes(1);
      for (const pod of await world.list(pods))
        if (pod.status?.phase === 'Running') await world.setPod(pod, 'Succeeded');
      await world.rest();
    }
    await world.rest();
    expect(await names()).toEqual([`c-${first + 2}`]);
    expect((await world.get(cronJobs, 'c')).status?.lastSuccessfulTime).toBe('2026-01-01T00:03:00Z');
  });
});
