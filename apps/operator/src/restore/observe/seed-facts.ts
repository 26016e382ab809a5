// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@etcd-operator/kube';
import { annotations } from '../../api/names.ts';
import { fetchContainer, restoreContainer } from '../objects/seed-pod.ts';
import type { SeedAnswer, SeedFacts } from '../observation.ts';

/** Reasons for which an image does not come; registries and networks recover, for a while it is waited for. */
const pullFailures = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];
const pullPatience = 120_000;
const restartLimit = 3;

/** What the planner needs to know of the pod that the data is restored in. */
export function seedFacts(pod: Pod, answer: SeedAnswer | undefined, now: number): SeedFacts {
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
    why: waitingFor(pod, states),
    answer,
  };
}

/** The container that runs, or ran last. */
export function agentOf(pod: Pod): string {
  return statesOf(pod).fetch?.containerID ?? '';
}

interface States {
  readonly fetch: ContainerStatus | undefined;
  readonly restore: ContainerStatus | undefined;
  readonly etcd: ContainerStatus | undefined;
}

function statesOf({ status }: Pod): States {
  const init = (name: string) => status?.initContainerStatuses?.find((candidate) => candidate.name === name);
  return {
    fetch: init(fetchContainer),
    restore: init(restoreContainer),
    etcd: status?.containerStatuses?.find((candidate) => candidate.name === 'etcd'),
  };
}

function stageOf({ fetch, restore, etcd }: States): SeedFacts['stage'] {
  if (etcd?.state?.running) return 'running';
  if (restore?.state?.running || fetch?.state?.terminated?.exitCode === 0) return 'restoring';
  return fetch?.state?.running ? 'waitingForData' : 'pending';
}

/** What etcd's tool says once it says again: the file and the directory will not change. */
function brokenBy(pod: Pod, { fetch, restore, etcd }: States, now: number): string | undefined {
  const { metadata, status } = pod;
  const said = failureOf(restore);
  if (said !== undefined) return `etcd's tool did not restore the snapshot: ${said}`;
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded')
    return `the pod of the new member ended (${status.phase})`;
  for (const [what, container] of [
    ['agent', fetch],
    ['etcd', etcd],
  ] as const) {
    if (!container || container.state?.running || (container.restartCount ?? 0) < restartLimit) continue;
    return `the ${what} of the new member does not run: ${failureOf(container) ?? 'it ends again and again'}`;
  }
  const age = now - (Date.parse(metadata?.creationTimestamp ?? '') || now);
  const stuck = [fetch, restore, etcd].find((container) =>
    pullFailures.includes(container?.state?.waiting?.reason ?? ''),
  );
  if (!stuck || age < pullPatience) return undefined;
  const { reason, message } = stuck.state?.waiting ?? {};
  return `the new member does not start: ${reason}${message ? ` (${message.slice(0, 300)})` : ''}`;
}

function failureOf(container: ContainerStatus | undefined): string | undefined {
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  if (!ended || ended.exitCode === 0) return undefined;
  return (ended.message ?? '').trim().slice(-500) || `it ended with code ${ended.exitCode}`;
}

function waitingFor({ metadata, status, spec }: Pod, { fetch, restore, etcd }: States): string {
  const name = metadata?.name ?? '';
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  if (!spec?.nodeName)
    return `${name} waits to be scheduled${unscheduled?.message ? `: ${unscheduled.message.slice(0, 300)}` : ''}`;
  const held = [fetch, restore, etcd].find((container) => {
    const reason = container?.state?.waiting?.reason;
    return reason !== undefined && reason !== 'PodInitializing';
  })?.state?.waiting;
  if (held) return `${name} cannot start: ${held.reason}${held.message ? ` (${held.message.slice(0, 300)})` : ''}`;
  return etcd?.state?.running ? `${name} is about to serve` : `${name} is being made from the snapshot`;
}
