// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type Job, jobs, jsonEqual, keyOf, keyString, type Pod, pods } from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { startKindController, touchController } from '../kind-controller.ts';
import { controllerKey, controllerOf, deletePod } from '../workloads/owned-pods.ts';
import { jobEnd, jobPod, jobStatus } from './job-objects.ts';
import { countPods, type JobCounts, planJob, trackingFinalizer } from './job-plan.ts';

/** Runs jobs to completion. */
export function startJobController(context: ControllerContext): RunningController {
  return startKindController(context, {
    name: 'job',
    resource: jobs,
    whileDeleted: true,
    reconcile: (job) => reconcile(context, job),
    gone: (namespace, name) => releaseOrphans(context, namespace, name),
    watch: (touch) => [touchController(context.caches.of(pods), 'Job', touch)],
  });
}

async function reconcile(context: ControllerContext, job: Job): Promise<number | undefined> {
  const { clock, timeFactor, client, events } = context;
  const own = podsOf(context, job);
  if (jobEnd(job) || job.metadata?.deletionTimestamp) {
    await release(context, own);
    return expire(context, job);
  }
  const counts = countPods(job, own);
  const plan = planJob(job, own, counts, clock.now(), timeFactor);
  const status = jobStatus(job, own, counts, plan, clock.now());
  if (!jsonEqual(status, job.status)) {
    // The counts are written before finalizers are removed: a pod is never missed and never counted twice.
    await client.resource(jobs).status.replace(keyOf(job), { ...job, status });
    const ended = plan.verdict && status.conditions?.some(({ type }) => type === plan.verdict?.type);
    if (ended && plan.verdict) {
      const { type, reason, message } = plan.verdict;
      if (type === 'Complete') events.event(job, 'Normal', 'Completed', 'Job completed');
      else events.event(job, 'Warning', reason, message);
    }
  }
  await release(
    context,
    own.filter((pod) => isCounted(counts, pod)),
  );
  for (const pod of plan.remove) await remove(context, job, pod);
  for (const index of plan.create) await create(context, job, index);
  return plan.wait;
}

function podsOf({ caches }: ControllerContext, job: Job): readonly Pod[] {
  return caches
    .of(pods)
    .inNamespace(job.metadata?.namespace ?? '')
    .filter((pod) => controllerOf(pod)?.uid === job.metadata?.uid);
}

function isCounted(counts: JobCounts, pod: Pod): boolean {
  const { uid = '' } = pod.metadata ?? {};
  return counts.uncountedSucceeded.includes(uid) || counts.uncountedFailed.includes(uid);
}

/** Removes the tracking finalizer of pods. */
async function release({ client }: ControllerContext, held: readonly Pod[]): Promise<void> {
  for (const pod of held) {
    const finalizers = pod.metadata?.finalizers ?? [];
    if (!finalizers.includes(trackingFinalizer)) continue;
    const metadata = { ...pod.metadata, finalizers: finalizers.filter((each) => each !== trackingFinalizer) };
    try {
      await client.resource(pods).replace({ ...pod, metadata });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
    }
  }
}

/** Removes the finalizers from the pods of a deleted Job: they are not counted any more. */
async function releaseOrphans(context: ControllerContext, namespace: string, name: string): Promise<undefined> {
  const orphans = context.caches
    .of(pods)
    .inNamespace(namespace)
    .filter((pod) => controllerKey(pod, 'Job') === keyString({ namespace, name }));
  await release(context, orphans);
}

async function create({ client, events }: ControllerContext, job: Job, index: number | undefined): Promise<void> {
  try {
    const pod = await client.resource(pods).create(jobPod(job, index));
    events.event(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    events.event(job, 'Warning', 'FailedCreate', `Error creating: ${words}`);
    throw error;
  }
}

async function remove(context: ControllerContext, job: Job, pod: Pod): Promise<void> {
  await deletePod(context, pod);
  context.events.event(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
}

/** Deletes an ended Job after its `ttlSecondsAfterFinished`. Returns the milliseconds until then. */
async function expire({ client, clock }: ControllerContext, job: Job): Promise<number | undefined> {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  const end = jobEnd(job);
  if (ttl === undefined || !end || job.metadata?.deletionTimestamp) return undefined;
  const left = Date.parse(end.lastTransitionTime ?? '') + ttl * 1000 - clock.now();
  if (left > 0) return left;
  await client.resource(jobs).delete(keyOf(job), { propagationPolicy: 'Foreground' });
  return undefined;
}
