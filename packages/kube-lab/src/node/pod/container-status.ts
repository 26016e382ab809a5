// SPDX-License-Identifier: Apache-2.0
import type { Container, ContainerState, ContainerStatus, Pod } from '@operator-parts/kube';
import { type BackOffPolicy, goDuration, retryAt } from '../container/back-off.ts';
import { timestamp } from '../timestamp.ts';
import { hasStarted, hasSucceeded, isFinished, restarts } from './plan-pod.ts';
import {
  type ContainerFacts,
  containerFacts,
  containerHash,
  type ExitedRun,
  isSidecar,
  type PodFacts,
} from './pod-facts.ts';

/** The inputs of the status of a pod's containers. */
export interface StatusInput {
  readonly pod: Pod;
  readonly facts: PodFacts;
  readonly now: number;
  readonly backOff: BackOffPolicy;
}

/** The status of one container, as the kubelet writes it. */
export function containerStatus(input: StatusInput, container: Container, isInit: boolean): ContainerStatus {
  const now = containerFacts(input.facts, container.name);
  const own = now.run?.state === 'starting' ? (now.run.before ?? now) : now;
  const { run } = own;
  const { state, last } = containerState(input, container, own);
  const known = run && run.state !== 'starting' ? run : own.previous;
  const started = hasStarted(container, own);
  return {
    name: container.name,
    state,
    lastState: last ? { terminated: terminated(last) } : {},
    ready: isInit && !isSidecar(container) ? hasSucceeded(own) : isReady(container, own),
    restartCount: own.restartCount,
    image: known?.image ?? container.image ?? '',
    imageID: known?.imageId ?? '',
    ...(known ? { containerID: `containerd://${known.id}` } : {}),
    started,
    ...(container.volumeMounts?.length ? { volumeMounts: mountStatuses(container) } : {}),
  };
}

/** Running, started, and its readiness probe, if any, succeeds. */
function isReady(container: Container, own: ContainerFacts): boolean {
  const up = own.run?.state === 'running' || own.run?.state === 'stopping';
  if (!up || (container.startupProbe && own.probes.startup !== 'success')) return false;
  return !container.readinessProbe || own.probes.readiness === 'success';
}

function containerState(
  input: StatusInput,
  container: Container,
  own: ContainerFacts,
): { readonly state: ContainerState; readonly last: ExitedRun | undefined } {
  const { run, previous } = own;
  switch (run?.state) {
    case 'running':
    case 'stopping':
      return { state: { running: { startedAt: timestamp(run.startedAt) } }, last: previous };
    case 'exited': {
      const waiting = waitingAfterExit(input, container, own, run);
      return waiting ? { state: { waiting }, last: run } : { state: { terminated: terminated(run) }, last: previous };
    }
    case 'starting':
    case undefined:
      return { state: { waiting: problemOf(input.now, own) ?? waitingAtFirst(input.pod) }, last: previous };
  }
}

/** An exited container that will be restarted is `waiting`; otherwise it is `terminated`. */
function waitingAfterExit(
  { pod, facts, now, backOff }: StatusInput,
  container: Container,
  own: ContainerFacts,
  run: ExitedRun,
): { readonly reason: string; readonly message: string } | undefined {
  if (facts.ending || isFinished(pod, facts)) return undefined;
  const problem = problemOf(now, own);
  if (problem) return problem;
  const entry = own.backOff;
  if (!entry || now >= retryAt(backOff, entry, containerHash(container), run.finishedAt)) return undefined;
  if (!own.restart && !restarts(pod, container, run)) return undefined;
  const { name, namespace, uid } = pod.metadata ?? {};
  const message = `back-off ${goDuration(entry.delay)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
  return { reason: 'CrashLoopBackOff', message };
}

function problemOf(
  now: number,
  { problem }: ContainerFacts,
): { readonly reason: string; readonly message: string } | undefined {
  if (!problem) return undefined;
  const shown = problem.later && now >= problem.later.at ? problem.later : problem;
  return { reason: shown.reason, message: shown.message };
}

function waitingAtFirst(pod: Pod): { readonly reason: string } {
  return { reason: pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating' };
}

function terminated(run: ExitedRun): NonNullable<ContainerState['terminated']> {
  return {
    exitCode: run.exitCode,
    reason: run.reason,
    ...(run.message ? { message: run.message } : {}),
    startedAt: timestamp(run.startedAt),
    finishedAt: timestamp(run.finishedAt),
    containerID: `containerd://${run.id}`,
  };
}

function mountStatuses(container: Container): NonNullable<ContainerStatus['volumeMounts']> {
  return (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
  }));
}
