// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';
import { fetchContainer, restoreContainer } from '../objects/seed-pod.ts';
import { readContainer } from '../objects/survivor-pod.ts';
import type { SeedAnswer, SeedFacts } from '../observation.ts';

/** Reasons why an image cannot be pulled. Registries and networks recover, so the restore waits for a while. */
const pullFailures = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];
const pullPatience = 120_000;
const restartLimit = 3;

/** What the planner needs to know about the pod in which the data is restored. */
export function seedFacts(
  pod: Pod,
  answer: SeedAnswer | undefined,
  now: number,
  task = 'restore the snapshot',
): SeedFacts {
  const { metadata = {}, spec, status } = pod;
  const states = statesOf(pod);
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    terminating: metadata.deletionTimestamp !== undefined,
    ip: status?.podIP ?? '',
    onVolume:
      spec?.volumes?.some(({ name, persistentVolumeClaim }) => name === 'etcd-data' && persistentVolumeClaim) ?? false,
    version: metadata.annotations?.[annotations.version] ?? '',
    agent: agentOf(pod),
    isIdentified: Boolean(metadata.annotations?.[annotations.clusterId]),
    stage: stageOf(states),
    broken: brokenBy(pod, states, now),
    why: waitingFor(pod, states, task),
    answer,
  };
}

/** ID of the agent's container that is running, or ran last. */
export function agentOf(pod: Pod): string {
  return statesOf(pod).fetch?.containerID ?? '';
}

interface States {
  readonly fetch: ContainerStatus | undefined;
  readonly restore: ContainerStatus | undefined;
  /** Exists only in a pod that reads the volume of a survivor. */
  readonly read: ContainerStatus | undefined;
  readonly etcd: ContainerStatus | undefined;
}

function statesOf({ status }: Pod): States {
  const init = (name: string) => status?.initContainerStatuses?.find((candidate) => candidate.name === name);
  return {
    fetch: init(fetchContainer),
    restore: init(restoreContainer),
    read: init(readContainer),
    etcd: status?.containerStatuses?.find((candidate) => candidate.name === 'etcd'),
  };
}

function stageOf({ fetch, restore, etcd }: States): SeedFacts['stage'] {
  if (etcd?.state?.running) return 'running';
  if (restore?.state?.running || fetch?.state?.terminated?.exitCode === 0) return 'restoring';
  return fetch?.state?.running ? 'waitingForData' : 'pending';
}

/**
 * Why the pod will not start without help. A single error of etcd's restore tool is enough: the tool would fail again, because the file and
 * the directory do not change.
 */
function brokenBy(pod: Pod, states: States, now: number): string | undefined {
  const { status } = pod;
  const { fetch, restore, etcd } = states;
  const said = failureOf(restore);
  if (said !== undefined) return `etcd's restore tool failed: ${said}`;
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded')
    return `the pod of the new member has stopped (phase ${status.phase})`;
  for (const [what, container] of [
    ['restore agent', fetch],
    ['etcd', etcd],
  ] as const) {
    if (!container || container.state?.running || (container.restartCount ?? 0) < restartLimit) continue;
    return `the ${what} in the new member's pod does not run: ${failureOf(container) ?? 'the container exits repeatedly'}`;
  }
  return withoutImage(pod, states, now);
}

function withoutImage({ metadata }: Pod, { fetch, restore, read, etcd }: States, now: number): string | undefined {
  const age = now - (Date.parse(metadata?.creationTimestamp ?? '') || now);
  const stuck = [fetch, restore, read, etcd].find((container) =>
    pullFailures.includes(container?.state?.waiting?.reason ?? ''),
  );
  if (!stuck || age < pullPatience) return undefined;
  const { reason, message } = stuck.state?.waiting ?? {};
  return `pod/${metadata?.name ?? ''} does not start: ${reason}${message ? ` (${message.slice(0, 300)})` : ''}`;
}

function failureOf(container: ContainerStatus | undefined): string | undefined {
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  if (!ended || ended.exitCode === 0) return undefined;
  return (ended.message ?? '').trim().slice(-500) || `it exited with code ${ended.exitCode}`;
}

function waitingFor({ metadata, status, spec }: Pod, { fetch, restore, read, etcd }: States, task: string): string {
  const name = metadata?.name ?? '';
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  if (!spec?.nodeName)
    return `waiting for pod/${name} to be scheduled${unscheduled?.message ? `: ${unscheduled.message.slice(0, 300)}` : ''}`;
  const held = [fetch, restore, read, etcd].find((container) => {
    const reason = container?.state?.waiting?.reason;
    // Both reasons are temporary: the container is being created, or waits for the init containers before it.
    return reason !== undefined && reason !== 'PodInitializing' && reason !== 'ContainerCreating';
  })?.state?.waiting;
  if (held) return `pod/${name} cannot start: ${held.reason}${held.message ? ` (${held.message.slice(0, 300)})` : ''}`;
  return etcd?.state?.running ? `waiting for etcd in pod/${name} to serve` : `waiting for pod/${name} to ${task}`;
}
