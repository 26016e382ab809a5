// SPDX-License-Identifier: Apache-2.0

import { isComputedName, isOwnAddress } from '../../identity/member-naming.ts';
import type { Desired } from '../desired.ts';
import type { Answer, EtcdMember, MemberPod, MemberVolume } from '../observation.ts';
import type { MemberView } from './assessment.ts';

/**
 * The health of a listed member. Only etcd's answers show that a member runs. The phase of a pod can delay an action, but never trigger one
 * (safety rule 4, operator rule 19).
 */
export type MemberHealth =
  /** Answers, has a leader and belongs to this cluster. */
  | { readonly kind: 'healthy' }
  /** The pod of the member is starting. */
  | { readonly kind: 'starting'; readonly why: string }
  /** etcd lists the member, but the member has never started and has no pod: the join was interrupted. */
  | { readonly kind: 'unstarted' }
  /** Answers but has no leader: it has lost contact with its peers. */
  | { readonly kind: 'leaderless'; readonly since: number }
  /** Another member answers at the address of the member's pod: the process runs on other data, or the address now belongs to another pod. */
  | { readonly kind: 'mismatched'; readonly since: number; readonly evidence: string }
  /** The pod of the member exists, but its etcd does not answer or could not be asked. */
  | { readonly kind: 'unreachable'; readonly since: number; readonly why: string; readonly neverAnswered?: boolean }
  /** The member has no pod, but its volume exists. */
  | { readonly kind: 'podGone' }
  /** The member has a volume, and its pod has ended or is being deleted: the member returns once the pod object is gone. */
  | {
      readonly kind: 'podEnding';
      /** The time since which the member has not been reachable; undefined while it answers. */
      readonly since: number | undefined;
    }
  /** The data of the member is permanently lost. The same member ID must never start again. */
  | { readonly kind: 'lost'; readonly evidence: string }
  /** The pod of the member is being deleted together with its data, but etcd in the pod may still answer. */
  | { readonly kind: 'leaving' }
  /** Not created by this operator: no pod or volume of the cluster has its name. Reported, never repaired (operator rule 29). */
  | { readonly kind: 'unmanaged'; readonly hasStarted: boolean };

/** The message of etcd when it starts on an empty directory without valid boot values. */
export const blankDirectoryMessage = "couldn't find local name";

export interface MemberHealthInput {
  readonly member: EtcdMember;
  readonly pod: MemberPod | undefined;
  readonly volume: MemberVolume | undefined;
  readonly answer: Answer | undefined;
  readonly desired: Desired;
  readonly clusterId: string;
  readonly cluster: { readonly name: string; readonly namespace: string };
  readonly now: number;
}

/** Classifies one member. Operator rules 1, 5 and 19. */
export function memberHealth(input: MemberHealthInput): MemberHealth {
  const { pod, volume, answer } = input;
  if (!pod) return withoutPod(input);
  const hasVolume = pod.data === 'claim';
  if (hasVolume && !volume && !isAnswering(input)) {
    return { kind: 'lost', evidence: `pvc/${pod.name} is gone` };
  }
  if (pod.terminating) return ending(pod, answer);
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') {
    return hasVolume
      ? { kind: 'podEnding', since: answer?.kind === 'unreachable' ? answer.since : undefined }
      : { kind: 'lost', evidence: `its pod stopped (${pod.phase}), and its data was lost with the pod` };
  }
  return withPod(input, pod);
}

function ending(pod: MemberPod, answer: Answer | undefined): MemberHealth {
  if (pod.data === 'claim')
    return { kind: 'podEnding', since: answer?.kind === 'unreachable' ? answer.since : undefined };
  if (pod.forced) return { kind: 'lost', evidence: 'its pod was deleted by force, and its data with it' };
  return { kind: 'leaving' };
}

function withoutPod({ member, volume, cluster }: MemberHealthInput): MemberHealth {
  const isOurs = member.peerURLs.some((url) => isOwnAddress(cluster, url)) || isComputedName(cluster.name, member.name);
  if (!volume && !isOurs) {
    return { kind: 'unmanaged', hasStarted: member.name !== '' };
  }
  if (member.name === '') return { kind: 'unstarted' };
  if (!volume) return { kind: 'lost', evidence: 'its pod is gone and it has no volume' };
  if (volume.terminating) return { kind: 'lost', evidence: `pvc/${volume.name} is being deleted` };
  if (volume.phase === 'Lost') return { kind: 'lost', evidence: `the volume of pvc/${volume.name} is lost` };
  // A volume that records no member gets a pod. This pod has no bootstrap configuration, so etcd reports if the volume is empty.
  if (volume.memberId !== '' && volume.memberId !== member.id) {
    return { kind: 'lost', evidence: `pvc/${volume.name} does not hold the data of member ${member.id}` };
  }
  return { kind: 'podGone' };
}

function withPod({ member, answer, clusterId, now }: MemberHealthInput, pod: MemberPod): MemberHealth {
  if (answer?.kind === 'status') {
    const since = answer.identitySince;
    if (answer.clusterId !== clusterId) {
      return { kind: 'mismatched', since, evidence: `it answers as a member of another cluster (${answer.clusterId})` };
    }
    if (answer.memberId !== member.id) {
      return { kind: 'mismatched', since, evidence: `it answers as another member (${answer.memberId})` };
    }
    if (answer.leaderId !== '') return { kind: 'healthy' };
    return { kind: 'leaderless', since: answer.leaderlessSince };
  }
  if (isBlank(pod)) return { kind: 'lost', evidence: 'etcd found its data directory empty' };
  if (answer?.kind === 'peerOnly')
    return { kind: 'starting', why: 'its etcd runs, but its client port has not opened yet' };
  const isYoung = !pod.ready && now - pod.seenSince < startLimit;
  if (member.name === '' || isYoung) return { kind: 'starting', why: startingWhy(pod) };
  const why = answer?.kind === 'unreachable' ? answer.why : 'the operator has not contacted it yet';
  const neverAnswered = answer?.kind === 'unreachable' && answer.neverAnswered === true;
  return { kind: 'unreachable', since: answer?.since ?? now, why: whyUnreachable(pod, why), neverAnswered };
}

/**
 * True if the process of the pod has just started. etcd will answer soon, but Kubernetes reports nothing before the next probe, so the
 * operator asks etcd itself.
 */
export function hasJustStarted({ pod }: { readonly pod: MemberPod | undefined }, now: number): boolean {
  const { state, runningSince } = pod?.container ?? { state: 'unknown', runningSince: 0 };
  return state === 'running' && now - runningSince < startLimit;
}

/** True if Kubernetes reports that etcd can serve. A sidecar that keeps the pod from being Ready shows nothing about etcd. */
export function isEtcdReady({ ready, brokenSidecar }: Pick<MemberPod, 'ready' | 'brokenSidecar'>): boolean {
  return ready || brokenSidecar !== undefined;
}

/** A pod younger than this that is not Ready counts as starting. */
const startLimit = 30_000;

/** The time that the startup probe allows, because a large database takes long to open. */
export const slowStart = 600_000;

/**
 * True if the process of the member runs but has not answered since its start: it is opening its data, which may take minutes. A pod that
 * is Ready or has passed its startup probe has opened its data; pods of CoreOS etcd-operator have no such probe.
 */
export function isBooting({ pod, health }: Pick<MemberView, 'pod' | 'health'>, now: number): boolean {
  if (health.kind !== 'unreachable' || pod?.container.state !== 'running' || pod.ready) return false;
  if (pod.container.hasStarted && !pod.adopted) return false;
  const isNewProcess = health.since <= pod.container.runningSince || health.neverAnswered === true;
  return isNewProcess && now - health.since < slowStart;
}

function isAnswering({ answer, member }: MemberHealthInput): boolean {
  return answer?.kind === 'status' && answer.memberId === member.id;
}

/**
 * True if etcd has found its data directory empty. Only a pod without a bootstrap configuration shows this, because in every other pod etcd
 * would have bootstrapped (operator rule 1). If a process runs now, it has found data: the volume may have been mounted late.
 */
function isBlank({ boot, container }: MemberPod): boolean {
  if (boot !== 'cleared' || container.state === 'running') return false;
  return container.lastExit?.message.includes(blankDirectoryMessage) ?? false;
}

function startingWhy(pod: MemberPod): string {
  if (pod.node === '') return clip(pod.container.message) || 'its pod has not been scheduled yet';
  if (pod.container.state === 'waiting' && pod.container.reason) return whyUnreachable(pod, '');
  return 'its pod is starting';
}

function whyUnreachable(pod: MemberPod, why: string): string {
  const { state, reason, message } = pod.container;
  if (state !== 'waiting' || !reason) return clip(why);
  return `its container is waiting: ${reason}${message ? ` (${clip(message)})` : ''}`;
}

/** Shortens messages of other programs for use in reasons. */
function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
