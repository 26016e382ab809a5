// SPDX-License-Identifier: Apache-2.0
import { type CronJob, cronJobs, isKubeError, type Job, jobs, jsonEqual, keyOf } from '@operator-parts/kube';
import { type CronSchedule, parseCron } from '@operator-parts/ports';
import { timestamp } from '../../node/timestamp.ts';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchController } from '../kind-controller.ts';
import { controllerOf, controllerReference } from '../workloads/owned-pods.ts';
import { jobEnd } from './job-objects.ts';

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** If more runs than this were missed, they are not checked one by one. */
const missedLimit = 100;

/** Creates Jobs by schedule. */
export function startCronJobController(context: ControllerContext): RunningController {
  return startKindController(context, {
    name: 'cronjob',
    resource: cronJobs,
    reconcile: (cron) => reconcile(context, cron),
    watch: (touch) => [touchController(context.caches.of(jobs), 'CronJob', touch)],
  });
}

async function reconcile(context: ControllerContext, cron: CronJob): Promise<number | undefined> {
  const own = jobsOf(context, cron);
  await trimHistory(context, cron, own);
  const schedule = parseCron(cron.spec?.schedule ?? '', cron.spec?.timeZone);
  if (!schedule) {
    context.events.event(cron, 'Warning', 'UnparseableSchedule', `unparseable schedule: "${cron.spec?.schedule}"`);
    return writeStatus(context, cron, {});
  }
  const now = context.clock.now();
  const due = cron.spec?.suspend ? undefined : lastDue(context, cron, schedule, now);
  const scheduled = due !== undefined && (await run(context, cron, own, due));
  await writeStatus(context, cron, scheduled ? { lastScheduleTime: timestamp(due) } : {});
  const next = cron.spec?.suspend ? undefined : schedule.next(now);
  return next === undefined ? undefined : next - now;
}

function jobsOf({ caches }: ControllerContext, cron: CronJob): readonly Job[] {
  return caches
    .of(jobs)
    .inNamespace(cron.metadata?.namespace ?? '')
    .filter((job) => controllerOf(job)?.uid === cron.metadata?.uid);
}

/**
 * The latest scheduled time since the last run, unless its deadline has passed. If too many runs were missed, the
 * current minute.
 */
function lastDue(context: ControllerContext, cron: CronJob, schedule: CronSchedule, now: number): number | undefined {
  const since = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata?.creationTimestamp ?? '') || now;
  const deadline = cron.spec?.startingDeadlineSeconds;
  const earliest = deadline === undefined ? since : Math.max(since, now - deadline * 1000);
  let due: number | undefined;
  let missed = 0;
  for (let time = schedule.next(earliest); time !== undefined && time <= now; time = schedule.next(time)) {
    due = time;
    missed += 1;
    if (missed > missedLimit) {
      const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      context.events.event(cron, 'Warning', 'TooManyMissedTimes', message);
      return Math.floor(now / 60_000) * 60_000;
    }
  }
  return due;
}

/** Creates the Job of a scheduled time. True if the Job exists afterwards. */
async function run(context: ControllerContext, cron: CronJob, own: readonly Job[], due: number): Promise<boolean> {
  const active = own.filter((job) => !jobEnd(job) && !job.metadata?.deletionTimestamp);
  const policy = cron.spec?.concurrencyPolicy ?? 'Allow';
  if (policy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    context.events.event(cron, 'Normal', 'JobAlreadyActive', message);
    return false;
  }
  if (policy === 'Replace') for (const job of active) await remove(context, cron, job);
  const { spec, metadata } = cron.spec?.jobTemplate ?? {};
  if (!spec) return false;
  const { name = '', namespace = '' } = cron.metadata ?? {};
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${Math.floor(due / 60_000)}`,
      namespace,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, [scheduledAnnotation]: timestamp(due) },
      ownerReferences: [controllerReference(cron, 'batch/v1', 'CronJob')],
    },
    spec,
  };
  try {
    await context.client.resource(jobs).create(job);
    context.events.event(cron, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata?.name}`);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
  return true;
}

async function trimHistory(context: ControllerContext, cron: CronJob, own: readonly Job[]): Promise<void> {
  const limits = {
    Complete: cron.spec?.successfulJobsHistoryLimit ?? 3,
    Failed: cron.spec?.failedJobsHistoryLimit ?? 1,
  };
  for (const [type, limit] of Object.entries(limits)) {
    const ended = own
      .filter((job) => jobEnd(job)?.type === type && !job.metadata?.deletionTimestamp)
      .toSorted((left, right) => Date.parse(left.status?.startTime ?? '') - Date.parse(right.status?.startTime ?? ''));
    for (const job of ended.slice(0, Math.max(0, ended.length - limit))) await remove(context, cron, job);
  }
}

async function remove({ client, events }: ControllerContext, cron: CronJob, job: Job): Promise<void> {
  try {
    await client.resource(jobs).delete(keyOf(job), { propagationPolicy: 'Background' });
    events.event(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata?.name}`);
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

async function writeStatus(
  context: ControllerContext,
  { metadata }: CronJob,
  change: { readonly lastScheduleTime?: string },
): Promise<undefined> {
  const { caches, client } = context;
  const cron = caches.of(cronJobs).get(metadata?.namespace, metadata?.name ?? '');
  if (!cron) return;
  const own = jobsOf(context, cron);
  const active = own
    .filter((job) => !jobEnd(job) && !job.metadata?.deletionTimestamp)
    .map(({ metadata: job }) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      name: job?.name ?? '',
      namespace: job?.namespace ?? '',
      uid: job?.uid ?? '',
    }));
  const successes = own.flatMap((job) => (jobEnd(job)?.type === 'Complete' ? (job.status?.completionTime ?? []) : []));
  const lastSuccess = [cron.status?.lastSuccessfulTime, ...successes]
    .filter((time) => typeof time === 'string')
    .toSorted()
    .at(-1);
  const { active: _active, ...rest } = cron.status ?? {};
  const status = {
    ...rest,
    ...(active.length > 0 ? { active } : {}),
    ...(lastSuccess ? { lastSuccessfulTime: lastSuccess } : {}),
    ...change,
  };
  if (!jsonEqual(status, cron.status ?? {})) {
    await client.resource(cronJobs).status.replace(keyOf(cron), { ...cron, status });
  }
}
