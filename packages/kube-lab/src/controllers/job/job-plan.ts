// SPDX-License-Identifier: Apache-2.0
import type { Job, Pod } from '@operator-parts/kube';
import { hasPodEnded, isPodActive } from '../workloads/pod-condition.ts';

/** The finalizer that keeps an ended pod until it has been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

const firstDelay = 10_000;
const longestDelay = 360_000;

/**
 * The results of a Job's pods. A pod in `uncounted...` moves to `succeeded` or `failed` when its finalizer has been
 * removed.
 */
export interface JobCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncountedSucceeded: readonly string[];
  readonly uncountedFailed: readonly string[];
  /** Completed indexes of an indexed Job. */
  readonly doneIndexes: ReadonlySet<number>;
}

/** The next steps for a Job. */
export interface JobPlan {
  /** Set if the Job has ended. */
  readonly verdict?: { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string };
  /** Pods to create, with their index for an indexed Job. */
  readonly create: readonly (number | undefined)[];
  readonly remove: readonly Pod[];
  /** Milliseconds after which to plan again, even if no object changes. */
  readonly wait?: number;
}

/** Moves ended pods into the counts, each exactly once, even if a reconciliation is interrupted and repeated. */
export function countPods(job: Job, pods: readonly Pod[]): JobCounts {
  const { status } = job;
  const held = new Map(pods.filter(isHeld).map((pod) => [pod.metadata?.uid ?? '', pod]));
  const settle = (uids: readonly string[], ended: (pod: Pod) => boolean) => {
    const still = uids.filter((uid) => held.has(uid));
    const fresh = [...held].filter(([uid, pod]) => ended(pod) && !uids.includes(uid)).map(([uid]) => uid);
    return { counted: uids.length - still.length, uncounted: [...still, ...fresh] };
  };
  const succeeded = settle(
    status?.uncountedTerminatedPods?.succeeded ?? [],
    (pod) => pod.status?.phase === 'Succeeded',
  );
  const failed = settle(status?.uncountedTerminatedPods?.failed ?? [], hasFailed);
  const fresh = pods.filter((pod) => pod.status?.phase === 'Succeeded').flatMap((pod) => indexOf(pod) ?? []);
  return {
    succeeded: (status?.succeeded ?? 0) + succeeded.counted,
    failed: (status?.failed ?? 0) + failed.counted,
    uncountedSucceeded: succeeded.uncounted,
    uncountedFailed: failed.uncounted,
    doneIndexes: new Set([...parseIndexes(status?.completedIndexes ?? ''), ...fresh]),
  };
}

function isHeld(pod: Pod): boolean {
  return pod.metadata?.finalizers?.includes(trackingFinalizer) === true;
}

/** Failed, or deleted before it ran. */
function hasFailed(pod: Pod): boolean {
  const neverRan = pod.metadata?.deletionTimestamp !== undefined && !pod.spec?.nodeName;
  return pod.status?.phase === 'Failed' || (neverRan && !hasPodEnded(pod));
}

/** Plans a Job that has not ended. Pure. */
export function planJob(job: Job, pods: readonly Pod[], counts: JobCounts, now: number, timeFactor: number): JobPlan {
  const active = pods.filter(isPodActive);
  if (job.spec?.suspend) return { create: [], remove: active };
  const verdict = verdictOf(job, pods, counts, now);
  if (verdict) return { verdict, create: [], remove: active };
  const deadline = deadlineOf(job);
  const untilDeadline = deadline === undefined ? {} : { wait: deadline - now };
  const missing = missingPods(job, active, counts);
  if (missing.length === 0) {
    return { create: [], remove: active.slice(active.length + missing.surplus), ...untilDeadline };
  }
  const wait = backOffLeft(pods, counts, now, timeFactor);
  if (wait > 0) return { create: [], remove: [], wait: Math.min(wait, untilDeadline.wait ?? wait) };
  return { create: missing.create, remove: [], ...untilDeadline };
}

function verdictOf(job: Job, pods: readonly Pod[], counts: JobCounts, now: number): JobPlan['verdict'] {
  const failed = counts.failed + counts.uncountedFailed.length;
  const limit = job.spec?.backoffLimit ?? 6;
  if (failed > limit || restartsExceed(job, pods, limit)) {
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const deadline = deadlineOf(job);
  if (deadline !== undefined && now >= deadline) {
    return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  const succeeded = counts.succeeded + counts.uncountedSucceeded.length;
  const { completions } = job.spec ?? {};
  const active = pods.filter(isPodActive).length;
  const isDone = completions === undefined ? succeeded > 0 && active === 0 : doneCount(job, counts) >= completions;
  if (!isDone) return undefined;
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

/** With `restartPolicy: OnFailure` container restarts count. */
function restartsExceed(job: Job, pods: readonly Pod[], limit: number): boolean {
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(isPodActive)
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function doneCount(job: Job, counts: JobCounts): number {
  if (job.spec?.completionMode === 'Indexed') return counts.doneIndexes.size;
  return counts.succeeded + counts.uncountedSucceeded.length;
}

function missingPods(
  job: Job,
  active: readonly Pod[],
  counts: JobCounts,
): { readonly length: number; readonly create: readonly (number | undefined)[]; readonly surplus: number } {
  const { completions, parallelism = 1, completionMode } = job.spec ?? {};
  const succeeded = counts.succeeded + counts.uncountedSucceeded.length;
  // A work queue without `completions` starts no more pods after one has succeeded.
  const left =
    completions === undefined ? (succeeded > 0 ? active.length : parallelism) : completions - doneCount(job, counts);
  const count = Math.min(parallelism, left) - active.length;
  if (count <= 0) return { length: 0, create: [], surplus: Math.min(0, count) };
  if (completionMode !== 'Indexed')
    return { length: count, create: Array.from({ length: count }, () => undefined), surplus: 0 };
  const taken = new Set([...counts.doneIndexes, ...active.flatMap((pod) => indexOf(pod) ?? [])]);
  const free = Array.from({ length: completions ?? 0 }, (_, index) => index).filter((index) => !taken.has(index));
  return { length: count, create: free.slice(0, count), surplus: 0 };
}

/** After failures new pods are delayed: 10 s, 20 s, ... 6 min after the last failure. */
function backOffLeft(pods: readonly Pod[], counts: JobCounts, now: number, timeFactor: number): number {
  const failed = counts.failed + counts.uncountedFailed.length;
  if (failed === 0) return 0;
  const last = Math.max(0, ...pods.filter(({ status }) => status?.phase === 'Failed').map(endedAt));
  const delay = Math.min(firstDelay * 2 ** (failed - 1), longestDelay) / timeFactor;
  return last === 0 ? 0 : last + delay - now;
}

function endedAt(pod: Pod): number {
  const times = (pod.status?.containerStatuses ?? []).map(
    ({ state }) => Date.parse(state?.terminated?.finishedAt ?? '') || 0,
  );
  return Math.max(0, ...times);
}

function deadlineOf(job: Job): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || !job.status?.startTime) return undefined;
  return Date.parse(job.status.startTime) + activeDeadlineSeconds * 1000;
}

/** The index of a pod of an indexed job. */
function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata?.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}

/** `0,2-4` -> 0, 2, 3, 4. */
export function parseIndexes(text: string): readonly number[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
    });
}

/** The inverse of `parseIndexes`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const parts: [number, number][] = [];
  for (const index of [...indexes].toSorted((left, right) => left - right)) {
    const last = parts.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
