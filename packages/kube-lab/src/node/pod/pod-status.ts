// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod, PodStatus } from '@operator-parts/kube';
import type { Addresses } from '../../network/addresses.ts';
import { timestamp } from '../timestamp.ts';
import { containerStatus, type StatusInput } from './container-status.ts';
import { hasSucceeded, initFailure, isFinished } from './plan-pod.ts';
import { podConditions } from './pod-conditions.ts';
import { containerFacts, isActive, isSidecar, type PodFacts } from './pod-facts.ts';

type Phase = NonNullable<PodStatus['phase']>;

/**
 * The status of a pod as its kubelet writes it: the kubelet's own fields, and fields of other components that it keeps.
 */
export function podStatus(input: StatusInput & { readonly hostIps: Addresses }): PodStatus {
  const { pod, facts } = input;
  const initContainerStatuses = (pod.spec?.initContainers ?? []).map((each) => containerStatus(input, each, true));
  const containerStatuses = (pod.spec?.containers ?? []).map((each) => containerStatus(input, each, false));
  const phase = podPhase(input, containerStatuses);
  const words = reasonOf(pod, facts, phase);
  return {
    ...(pod.metadata?.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: podConditions({ ...input, phase, initContainerStatuses, containerStatuses }),
    ...words,
    hostIP: input.hostIps[0],
    hostIPs: input.hostIps.map((ip) => ({ ip })),
    ...addressesOf(pod, facts),
    startTime: pod.status?.startTime ?? timestamp(facts.acceptedAt),
    ...(initContainerStatuses.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
    ...(pod.status?.qosClass ? { qosClass: pod.status.qosClass } : {}),
    ...(pod.status?.nominatedNodeName ? { nominatedNodeName: pod.status.nominatedNodeName } : {}),
  };
}

/** A pod keeps its addresses in the status after its network is released. */
function addressesOf(pod: Pod, { setup }: PodFacts): Pick<PodStatus, 'podIP' | 'podIPs'> {
  if (setup.state === 'ready') return { podIP: setup.addresses[0], podIPs: setup.addresses.map((ip) => ({ ip })) };
  const { podIP, podIPs } = pod.status ?? {};
  return podIP ? { podIP, podIPs: podIPs ?? [{ ip: podIP }] } : {};
}

function reasonOf(pod: Pod, { ending }: PodFacts, phase: Phase): Pick<PodStatus, 'reason' | 'message'> {
  if (ending?.reason) return { reason: ending.reason, ...(ending.message ? { message: ending.message } : {}) };
  const { status } = pod;
  if (status?.phase !== phase) return {};
  return {
    ...(status.reason ? { reason: status.reason } : {}),
    ...(status.message ? { message: status.message } : {}),
  };
}

function podPhase(input: StatusInput, containers: readonly ContainerStatus[]): Phase {
  const { pod, facts } = input;
  // A finished pod never runs again.
  const before = pod.status?.phase;
  if (before === 'Succeeded' || before === 'Failed') return before;
  if (isOver(pod, facts)) return finalPhase(pod, facts);
  const initialized =
    facts.initialized || (pod.spec?.initContainers ?? []).every((each) => isInitDone(input, each.name));
  const neverStarted = (status: ContainerStatus) => status.state?.waiting && !status.lastState?.terminated;
  return initialized && !containers.some(neverStarted) ? 'Running' : 'Pending';
}

function isInitDone({ pod, facts }: StatusInput, name: string): boolean {
  const container = pod.spec?.initContainers?.find((each) => each.name === name);
  const own = containerFacts(facts, name);
  return container && isSidecar(container) ? own.run?.state === 'running' : hasSucceeded(own);
}

/** True if no container runs and none will be started. */
function isOver(pod: Pod, facts: PodFacts): boolean {
  const ended = facts.ending !== undefined || isFinished(pod, facts);
  return ended && ![...facts.containers.values()].some(isActive);
}

function finalPhase(pod: Pod, facts: PodFacts): Phase {
  if (facts.ending && facts.ending.cause !== 'deleted') return 'Failed';
  if (initFailure(pod, facts)) return 'Failed';
  const runs = (pod.spec?.containers ?? []).map((each) => containerFacts(facts, each.name).run);
  // A pod that is deleted before its containers were started stays Pending.
  if (facts.ending && !runs.some((run) => run?.state === 'exited')) return 'Pending';
  return runs.every((run) => run?.state === 'exited' && run.exitCode === 0) ? 'Succeeded' : 'Failed';
}
