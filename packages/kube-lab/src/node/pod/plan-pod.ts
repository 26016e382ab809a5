// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import { type BackOffPolicy, retryAt } from '../container/back-off.ts';
import {
  type ContainerFacts,
  containerFacts,
  containerHash,
  type ExitedRun,
  isActive,
  isSidecar,
  type PodFacts,
} from './pod-facts.ts';

/** One step for a pod. The worker marks it as in progress before it begins, so that it is not planned twice. */
export type PodAction =
  /** Create the volumes and the network. */
  | { readonly type: 'setUp' }
  | { readonly type: 'start'; readonly container: string }
  | {
      readonly type: 'stop';
      readonly container: string;
      readonly message: string;
      readonly graceSeconds: number;
      /** Restart it afterwards, whatever the restart policy. */
      readonly restart: boolean;
    }
  /** Start to terminate the pod: it has run for longer than `activeDeadlineSeconds`. */
  | { readonly type: 'expire' }
  /** No container runs and none will: release the network and the volumes. */
  | { readonly type: 'release' };

/** What to do now, and when to plan again if nothing happens before. */
export interface PodPlan {
  readonly actions: readonly PodAction[];
  /** Wall-clock milliseconds. */
  readonly wakeAt?: number;
}

const nothing: PodPlan = { actions: [] };

/**
 * Plans what a kubelet does for one pod. Pure and total: the pod in the API, the facts about its containers, the time
 * and the delays determine the plan.
 */
export function planPod(pod: Pod, facts: PodFacts, now: number, backOff: BackOffPolicy): PodPlan {
  if (facts.ending) return planEnding(pod, facts, facts.ending.graceSeconds);
  if (isFinished(pod, facts)) return planEnding(pod, facts, graceSeconds(pod));
  const deadline = deadlineOf(pod, facts);
  if (deadline !== undefined && now >= deadline) return { actions: [{ type: 'expire' }] };
  return merge([
    planLifecycle(pod, facts, now, backOff),
    deadline === undefined ? nothing : { actions: [], wakeAt: deadline },
  ]);
}

/** True if no regular container runs and none will be restarted. */
export function isFinished(pod: Pod, facts: PodFacts): boolean {
  if (initFailure(pod, facts)) return true;
  const containers = pod.spec?.containers ?? [];
  return containers.every((container) => {
    const { run, restart } = containerFacts(facts, container.name);
    return run?.state === 'exited' && !restart && !restarts(pod, container, run);
  });
}

/** The run of an init container that failed and will not be restarted, if there is one. */
export function initFailure(pod: Pod, facts: PodFacts): ExitedRun | undefined {
  for (const container of pod.spec?.initContainers ?? []) {
    const { run } = containerFacts(facts, container.name);
    const failed = !isSidecar(container) && run?.state === 'exited' && run.exitCode !== 0;
    if (failed && policyOf(pod, container) === 'Never') return run;
  }
  return undefined;
}

function planLifecycle(pod: Pod, facts: PodFacts, now: number, backOff: BackOffPolicy): PodPlan {
  const { setup } = facts;
  if (setup.state === 'busy') return nothing;
  if (setup.state === 'none') return { actions: [{ type: 'setUp' }] };
  if (setup.state === 'failed') return at(setup.retryAt, now, { type: 'setUp' });
  const init = planInit(pod, facts, now, backOff);
  if (init.blocked) return init.plan;
  const containers = pod.spec?.containers ?? [];
  return merge([init.plan, ...containers.map((container) => planContainer(pod, container, facts, now, backOff))]);
}

/** Init containers run one after the other; after a sidecar has started, the next one follows. */
function planInit(
  pod: Pod,
  facts: PodFacts,
  now: number,
  backOff: BackOffPolicy,
): { readonly plan: PodPlan; readonly blocked: boolean } {
  const plans: PodPlan[] = [];
  for (const container of pod.spec?.initContainers ?? []) {
    const own = containerFacts(facts, container.name);
    const done = isSidecar(container) ? hasStarted(container, own) : hasSucceeded(own);
    if (isSidecar(container) || (!done && !facts.initialized)) {
      plans.push(planContainer(pod, container, facts, now, backOff));
    }
    if (!done && !facts.initialized) return { plan: merge(plans), blocked: true };
  }
  return { plan: merge(plans), blocked: false };
}

function planContainer(pod: Pod, container: Container, facts: PodFacts, now: number, backOff: BackOffPolicy): PodPlan {
  const own = containerFacts(facts, container.name);
  const { run } = own;
  const problem = own.problem?.hash === containerHash(container) ? own.problem : undefined;
  const start = { type: 'start', container: container.name } as const;
  if (run === undefined) return problem ? retryPlan(problem, now, start) : { actions: [start] };
  switch (run.state) {
    case 'starting':
    case 'stopping':
      return nothing;
    case 'running':
      return planRunning(pod, container, own, run.hash);
    case 'exited':
      if (!own.restart && !restarts(pod, container, run)) return nothing;
      if (problem) return retryPlan(problem, now, start);
      return at(retryAt(backOff, own.backOff, containerHash(container), run.finishedAt), now, start);
  }
}

/** The plan after a failed start. It also wakes the worker when the status must show the later reason. */
function retryPlan(problem: NonNullable<ContainerFacts['problem']>, now: number, start: PodAction): PodPlan {
  const retry = at(problem.retryAt, now, start);
  const changes = problem.later && problem.later.at > now && retry.wakeAt !== undefined;
  return changes ? { actions: [], wakeAt: Math.min(problem.later.at, problem.retryAt) } : retry;
}

function planRunning(pod: Pod, container: Container, own: ContainerFacts, hash: string): PodPlan {
  const stop = (message: string, restart: boolean, grace?: number): PodPlan => ({
    actions: [{ type: 'stop', container: container.name, message, restart, graceSeconds: grace ?? graceSeconds(pod) }],
  });
  const { name } = container;
  if (hash !== containerHash(container)) return stop(`Container ${name} definition changed, will be restarted`, true);
  if (own.probes.liveness === 'failure') {
    const grace = container.livenessProbe?.terminationGracePeriodSeconds;
    return stop(`Container ${name} failed liveness probe, will be restarted`, false, grace);
  }
  if (own.probes.startup === 'failure') {
    const grace = container.startupProbe?.terminationGracePeriodSeconds;
    return stop(`Container ${name} failed startup probe, will be restarted`, false, grace);
  }
  return nothing;
}

/** Stops regular and init containers concurrently, then the sidecars one by one, in reverse order. */
function planEnding(pod: Pod, facts: PodFacts, grace: number): PodPlan {
  const init = pod.spec?.initContainers ?? [];
  const first = [...init.filter((container) => !isSidecar(container)), ...(pod.spec?.containers ?? [])];
  const active = (container: Container) => isActive(containerFacts(facts, container.name));
  const sidecar = init.filter(isSidecar).findLast(active);
  const wave = first.some(active) ? first.filter(active) : sidecar ? [sidecar] : [];
  if (wave.length === 0) return facts.setup.state === 'busy' ? nothing : { actions: [{ type: 'release' }] };
  const running = wave.filter((container) => containerFacts(facts, container.name).run?.state === 'running');
  return {
    actions: running.map(({ name }) => ({
      type: 'stop',
      container: name,
      message: `Stopping container ${name}`,
      graceSeconds: grace,
      restart: false,
    })),
  };
}

/** True if the restart policy requires another run. A successful init container is done. */
export function restarts(pod: Pod, container: Container, run: ExitedRun): boolean {
  const policy = policyOf(pod, container);
  const isInit = pod.spec?.initContainers?.includes(container) === true && !isSidecar(container);
  if (policy === 'Never') return false;
  return run.exitCode !== 0 || (policy === 'Always' && !isInit);
}

function policyOf(pod: Pod, container: Container): string {
  return container.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
}

/** True if the next init container may start; false if this init container must run again. */
export function hasSucceeded({ run, restart }: ContainerFacts): boolean {
  return run?.state === 'exited' && run.exitCode === 0 && !restart;
}

/** Running, with its startup probe and its postStart hook done. */
export function hasStarted(container: Container, { run, probes }: ContainerFacts): boolean {
  return run?.state === 'running' && run.hooked && (!container.startupProbe || probes.startup === 'success');
}

/** The grace period of the pod's own spec. */
export function graceSeconds(pod: Pod): number {
  return pod.spec?.terminationGracePeriodSeconds ?? 30;
}

function deadlineOf(pod: Pod, facts: PodFacts): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  return seconds === undefined ? undefined : facts.acceptedAt + seconds * 1000;
}

function at(time: number, now: number, action: PodAction): PodPlan {
  return time <= now ? { actions: [action] } : { actions: [], wakeAt: time };
}

function merge(plans: readonly PodPlan[]): PodPlan {
  const times = plans.flatMap(({ wakeAt }) => (wakeAt === undefined ? [] : [wakeAt]));
  const actions = plans.flatMap((plan) => plan.actions);
  return times.length === 0 ? { actions } : { actions, wakeAt: Math.min(...times) };
}
