// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, PodCondition, PodStatus } from '@operator-parts/kube';
import { timestamp } from '../timestamp.ts';
import type { StatusInput } from './container-status.ts';
import { isSidecar } from './pod-facts.ts';

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

type ConditionsInput = StatusInput & {
  readonly phase: NonNullable<PodStatus['phase']>;
  readonly initContainerStatuses: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
};

const ownTypes = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'] as const;
const fulfilled: Verdict = { status: 'True' };

/** The conditions of other components, then the kubelet's five. A transition time changes only with the status. */
export function podConditions(input: ConditionsInput): readonly PodCondition[] {
  const before = input.pod.status?.conditions ?? [];
  const foreign = before.filter((condition) => !(ownTypes as readonly string[]).includes(condition.type));
  const containersReady = containersReadyVerdict(input);
  const verdicts: Readonly<Record<(typeof ownTypes)[number], Verdict>> = {
    PodReadyToStartContainers: { status: input.facts.setup.state === 'ready' ? 'True' : 'False' },
    Initialized: initializedVerdict(input),
    Ready: containersReady.status === 'True' ? gatesVerdict(input, foreign) : containersReady,
    ContainersReady: containersReady,
    PodScheduled: fulfilled,
  };
  const own = ownTypes.map((type) => {
    const old = before.find((condition) => condition.type === type);
    const kept = old?.status === verdicts[type].status ? old.lastTransitionTime : undefined;
    return condition(input, type, verdicts[type], kept ?? timestamp(input.now));
  });
  return [...foreign, ...own];
}

function condition(input: ConditionsInput, type: string, verdict: Verdict, since: string): PodCondition {
  const { generation } = input.pod.metadata ?? {};
  return {
    type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: verdict.status,
    lastProbeTime: null,
    lastTransitionTime: since,
    ...(verdict.reason ? { reason: verdict.reason } : {}),
    ...(verdict.message ? { message: verdict.message } : {}),
  };
}

function containersReadyVerdict({ pod, phase, initContainerStatuses, containerStatuses }: ConditionsInput): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const counted = [...initContainerStatuses.filter(({ name }) => sidecars.includes(name)), ...containerStatuses];
  const unready = counted.filter(({ ready }) => !ready).map(({ name }) => name);
  if (unready.length === 0) return fulfilled;
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function initializedVerdict({ pod, facts, phase, initContainerStatuses }: ConditionsInput): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if (facts.initialized) return fulfilled;
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const incomplete = initContainerStatuses
    .filter((status) => !(sidecars.has(status.name) ? status.started : status.ready))
    .map(({ name }) => name);
  if (incomplete.length === 0) return fulfilled;
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function gatesVerdict({ pod }: ConditionsInput, conditions: readonly PodCondition[]): Verdict {
  const complaints = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = conditions.find(({ type }) => type === conditionType);
    if (!found) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return found.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (complaints.length === 0) return fulfilled;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: complaints.join(', ') };
}
