// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import type { JobCase, JobTrial } from './job-trial.ts';

/** Waits for a number of Jobs. */
const jobsThere = (t: JobTrial, count: number) =>
  t.eventually(async () => {
    const names = await t.jobNames();
    if (names.length !== count) throw new Error(`there are ${names.length} Jobs, not ${count}`);
    return names;
  });

/** The controller does not yet act on a Job that it just created: only on those in its status. */
const isActive = (t: JobTrial) => t.eventually(async () => expect((await t.cronJob()).status?.active).toHaveLength(1));

/** CronJobs as in the tutorials. Time is simulated by writing the status. */
export const cronJobCases: Readonly<Record<string, JobCase>> = {
  'a CronJob whose time has come makes a Job, named after the minute, and notes the time': async (t) => {
    await t.startCronJob({}, 2);
    const [name = ''] = await t.eventually(async () => {
      const names = await t.jobNames();
      expect(names.length).toBeGreaterThan(0);
      return names;
    });
    expect(name).toMatch(/^c-\d{8}$/);
    const minute = Number(name.slice(2)) * 60_000;
    await t.eventually(async () =>
      expect(Date.parse((await t.cronJob()).status?.lastScheduleTime ?? '')).toBeGreaterThanOrEqual(minute),
    );
    expect(await t.event('CronJob', 'SuccessfulCreate')).toMatch(/^Created job c-\d{8}$/);
  },
  'of several missed times only the last is made up for': async (t) => {
    await t.startCronJob({ schedule: '0 * * * *' }, 60 * 5);
    await jobsThere(t, 1);
  },
  'more than 100 missed times are reported, and the last of them is made up for all the same': async (t) => {
    await t.startCronJob({}, 60 * 5);
    expect(await t.event('CronJob', 'TooManyMissedTimes')).toMatch(
      /^too many missed start times\. Set or decrease \.spec\.startingDeadlineSeconds or check clock skew/,
    );
    await t.eventually(async () => expect((await t.jobNames()).length).toBeGreaterThan(0));
  },
  'startingDeadlineSeconds is the window in which missed times count': async (t) => {
    await t.startCronJob({ startingDeadlineSeconds: 200 }, 60 * 5);
    await t.eventually(async () => expect((await t.jobNames()).length).toBeGreaterThan(0));
    expect((await t.events('CronJob')).map(({ reason }) => reason)).not.toContain('TooManyMissedTimes');
  },
  'a time that is longer ago than startingDeadlineSeconds is left out': async (t) => {
    // An hour far from now.
    const hour = (new Date().getUTCHours() + 12) % 24;
    await t.startCronJob({ schedule: `0 ${hour} * * *`, startingDeadlineSeconds: 60 }, 60 * 30);
    const job = t.event('CronJob', 'SuccessfulCreate').catch(() => 'none');
    const late = new Promise<string>((resolve) => setTimeout(resolve, 3_000, 'none'));
    expect(await Promise.race([job, late])).toBe('none');
    expect(await t.jobNames()).toEqual([]);
  },
  'Forbid skips a time while a Job runs': async (t) => {
    // A time half an hour ago differs from the current minute, so the Job gets another name.
    const minute = (new Date().getUTCMinutes() + 30) % 60;
    await t.startCronJob({ concurrencyPolicy: 'Forbid', schedule: `${minute} * * * *` }, 60 * 3);
    await jobsThere(t, 1);
    await isActive(t);
    await t.activePods(1);
    await t.reschedule('* * * * *');
    expect(await t.event('CronJob', 'JobAlreadyActive')).toBe(
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    );
    expect(await t.jobNames()).toHaveLength(1);
  },
  'Replace ends the Job that runs': async (t) => {
    const minute = (new Date().getUTCMinutes() + 30) % 60;
    await t.startCronJob({ concurrencyPolicy: 'Replace', schedule: `${minute} * * * *` }, 60 * 3);
    const [first = ''] = await jobsThere(t, 1);
    await isActive(t);
    await t.reschedule('* * * * *');
    await t.eventually(async () => {
      const names = await t.jobNames();
      expect(names).not.toContain(first);
      expect(names).toHaveLength(1);
    });
    expect(await t.event('CronJob', 'SuccessfulDelete')).toBe(`Deleted job ${first}`);
  },
  'Allow lets Jobs run side by side': async (t) => {
    const minute = (new Date().getUTCMinutes() + 30) % 60;
    await t.startCronJob({ schedule: `${minute} * * * *` }, 60 * 3);
    await jobsThere(t, 1);
    await t.reschedule('* * * * *');
    await t.eventually(async () => expect((await t.jobNames()).length).toBeGreaterThan(1));
    await t.eventually(async () => expect((await t.cronJob()).status?.active?.length).toBeGreaterThan(1));
  },
};
