// SPDX-License-Identifier: Apache-2.0
import type { Job, Pod } from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';
import { controllerReference, podFromTemplate } from '../workloads/owned-pods.ts';
import { isPodActive, isPodReady } from '../workloads/pod-condition.ts';
import { formatIndexes, indexAnnotation, type JobCounts, type JobPlan, trackingFinalizer } from './job-plan.ts';

type Status = NonNullable<Job['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** A pod of a job. */
export function jobPod(job: Job, index: number | undefined): Pod {
  const { name = '', namespace = '', uid = '' } = job.metadata ?? {};
  const { template } = job.spec ?? {};
  if (!template) throw new TypeError(`job ${name} has no template`);
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...(index === undefined ? {} : { [indexAnnotation]: String(index) }),
  };
  const pod = podFromTemplate(template, controllerReference(job, 'batch/v1', 'Job'), {
    namespace,
    generateName: index === undefined ? `${name}-` : `${name}-${index}-`,
    labels,
    annotations: {
      ...template.metadata?.annotations,
      ...(index === undefined ? {} : { [indexAnnotation]: String(index) }),
    },
    finalizers: [...(template.metadata?.finalizers ?? []), trackingFinalizer],
  });
  if (index === undefined || !pod.spec) return pod;
  const fieldPath = `metadata.annotations['${indexAnnotation}']`;
  const variable = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath } } };
  const containers = pod.spec.containers.map((each) => ({ ...each, env: [...(each.env ?? []), variable] }));
  return { ...pod, spec: { ...pod.spec, hostname: pod.spec.hostname ?? `${name}-${index}`, containers } };
}

/** The status of a Job, with the counts of `countPods`. A verdict in the plan ends the Job. */
export function jobStatus(job: Job, pods: readonly Pod[], counts: JobCounts, plan: JobPlan, now: number): Status {
  const active = plan.verdict ? [] : pods.filter(isPodActive);
  const terminating = pods.filter((pod) => pod.metadata?.deletionTimestamp && !plan.remove.includes(pod)).length;
  const isFirst = !job.status?.startTime && !job.spec?.suspend;
  const startTime = isFirst ? timestamp(now) : job.spec?.suspend ? undefined : job.status?.startTime;
  const isComplete = plan.verdict?.type === 'Complete' && mayEnd(counts);
  const conditions = conditionsOf(job, counts, plan, now);
  return {
    ...(startTime ? { startTime } : {}),
    ...(isComplete ? { completionTime: timestamp(now) } : {}),
    ...(active.length > 0 ? { active: active.length } : {}),
    ready: active.filter(isPodReady).length,
    terminating,
    ...(counts.succeeded > 0 ? { succeeded: counts.succeeded } : {}),
    ...(counts.failed > 0 ? { failed: counts.failed } : {}),
    ...(job.spec?.completionMode === 'Indexed' ? { completedIndexes: formatIndexes(counts.doneIndexes) } : {}),
    uncountedTerminatedPods: {
      ...(counts.uncountedSucceeded.length > 0 ? { succeeded: counts.uncountedSucceeded } : {}),
      ...(counts.uncountedFailed.length > 0 ? { failed: counts.uncountedFailed } : {}),
    },
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** A Job ends only when every ended pod has been counted. */
function mayEnd(counts: JobCounts): boolean {
  return counts.uncountedSucceeded.length === 0 && counts.uncountedFailed.length === 0;
}

/** First the criteria (`SuccessCriteriaMet`, `FailureTarget`), then, when all pods are counted, the final condition. */
function conditionsOf(job: Job, counts: JobCounts, { verdict }: JobPlan, now: number): readonly Condition[] {
  const kept = (job.status?.conditions ?? []).filter(({ type }) => type !== 'Suspended');
  const make = (type: string, reason: string, message: string): Condition => {
    const old = job.status?.conditions?.find((each) => each.type === type && each.status === 'True');
    return (
      old ?? {
        type,
        status: 'True',
        reason,
        message,
        lastProbeTime: timestamp(now),
        lastTransitionTime: timestamp(now),
      }
    );
  };
  if (job.spec?.suspend) return [...kept, make('Suspended', 'JobSuspended', 'Job suspended')];
  if (!verdict) return kept;
  const { type, reason, message } = verdict;
  const intention = make(type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', reason, message);
  return mayEnd(counts) ? [intention, make(type, reason, message)] : [intention];
}

/** The final condition of a Job. */
export function jobEnd(job: Job): Condition | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}
