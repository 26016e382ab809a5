// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import {
  type CorruptMember,
  type DeadMember,
  type Evidence,
  type Objection,
  objectionsTo,
} from '../../../safety/gate.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { isBooting, isEtcdReady } from '../member-health.ts';
import { corruptionOf, isDisputed } from './corruption.ts';

/** Why a member is considered dead, and the objections to removing it. */
export interface Suspicion {
  readonly why: string;
  /** True if the data of the member is gone or about to be deleted, so that waiting does not help. */
  readonly isBeyondRepair: boolean;
  /** Empty if a new member must replace this member. */
  readonly objections: readonly Objection[];
  /** Milliseconds until the waiting time ends; 0 if it has ended. */
  readonly patienceLeft: number;
}

/** Undefined for a member without any sign of a problem, and for members that the operator does not manage. */
export function suspicionOf(assessment: Assessment, view: MemberView): Suspicion | undefined {
  const subject = subjectOf(assessment, view);
  if (!subject) return undefined;
  const { patience, waited } = subject;
  return {
    why: reasonOf(view),
    isBeyondRepair: patience === 0,
    objections: objectionsTo('removeDeadMember', subject),
    patienceLeft: Math.max(0, patience - waited),
  };
}

/** True for a member that must be replaced by a new one. */
export function mustBeReplaced(assessment: Assessment, view: MemberView): boolean {
  return suspicionOf(assessment, view)?.objections.length === 0;
}

/** The objections of the safety gate to removing a member as dead now. The gate also checks that the remaining voters are a quorum. */
export function objectionsToRemoval(assessment: Assessment, view: MemberView): readonly Objection[] {
  const subject = subjectOf(assessment, view);
  if (!subject) return [{ name: 'NothingWrong', evidence: 'it is not known to be dead' }];
  if (view.member.isLearner) return objectionsTo('removeDeadMember', subject);
  return objectionsTo('removeDeadMember', { ...subject, remaining: remainingWithout(assessment, view) });
}

/**
 * The healthy voters that remain without this member. The operator cannot ask an unmanaged voter, so it counts while a healthy voter that
 * remains has just received data from it.
 */
function remainingWithout(assessment: Assessment, view: MemberView) {
  const { voters } = assessment;
  const healthy = assessment.healthyVoters.filter((other) => other !== view);
  const witnesses = new Set(healthy.map(({ name }) => name));
  const isHeard = (other: MemberView) => heardBy(assessment, other).some((name) => witnesses.has(name));
  const heard = voters.filter((other) => other !== view && other.health.kind === 'unmanaged' && isHeard(other));
  return { healthy: healthy.length + heard.length, needed: quorum(voters.length - 1) };
}

/** What the gate needs to judge the removal of a voter whose data differs from the majority. */
export function corruptMember(assessment: Assessment, view: MemberView): CorruptMember {
  const corruption = corruptionOf(assessment);
  return {
    isRaised: corruption !== undefined,
    isDeviating: corruption?.deviating.includes(view) ?? false,
    agreeing: corruption?.sound.length ?? 0,
    voters: assessment.voters.length,
    remaining: remainingWithout(assessment, view),
  };
}

function subjectOf(assessment: Assessment, view: MemberView): DeadMember | undefined {
  const { health } = view;
  const common = {
    isReady: isReady(assessment, view),
    heardBy: heardBy(assessment, view),
    isBooting: false,
    isOutOfMemory: false,
    isDisputed: isDisputed(assessment),
  };
  switch (health.kind) {
    case 'lost':
      return { ...common, evidence: evidenceOfLoss(view, health.evidence), patience: 0, waited: 0 };
    case 'leaving':
      return { ...common, isLeaving: true, evidence: [], patience: 0, waited: 0 };
    case 'mismatched': {
      // A Ready pod in which another member runs shows nothing about this member. Only its peers can tell whether this member runs
      // elsewhere.
      const told: Evidence[] = [{ source: 'etcd', what: health.evidence }, ...fromLeader(assessment, view)];
      return { ...common, ...timed(assessment, health.since), isReady: false, evidence: told };
    }
    case 'leaderless': {
      const told: Evidence = { source: 'etcd', what: 'it has no leader, although other members have one' };
      return { ...common, ...timed(assessment, health.since), evidence: [told, ...fromOthers(assessment, view)] };
    }
    case 'unreachable':
      return {
        ...common,
        ...timed(assessment, health.since, isCrashing(view)),
        isBooting: isBooting(view, assessment.now),
        isOutOfMemory: isOutOfMemory(assessment, view),
        evidence: [{ source: 'operator', what: 'it is not reachable' }, ...fromOthers(assessment, view)],
      };
    case 'podEnding':
      if (health.since === undefined) return undefined;
      return {
        ...common,
        ...timed(assessment, health.since),
        evidence: [
          { source: 'operator', what: 'it is not reachable' },
          { source: 'kubernetes', what: 'its pod is stuck terminating' },
        ],
      };
    case 'healthy':
    case 'starting':
    case 'unstarted':
    case 'podGone':
    case 'unmanaged':
      return undefined;
  }
}

/**
 * The waiting time starts again when the quorum returns, because without a quorum the member could not have been replaced (safety rule 13).
 */
function timed({ now, desired, observation }: Assessment, since: number, isHopeless = false) {
  const { membership } = observation.etcd;
  const patience = isHopeless ? Math.min(crashLimit, desired.replaceAfter) : desired.replaceAfter;
  return { patience, waited: membership.kind === 'known' ? now - Math.max(since, membership.since) : 0 };
}

const crashLimit = 60_000;

function isCrashing({ pod }: MemberView): boolean {
  return pod !== undefined && pod.container.restarts >= 3 && pod.container.state !== 'running';
}

/**
 * True for a member that is killed repeatedly for lack of memory: a new member would be killed too. A member that was killed once and runs
 * again does not count, and neither does a member on a node that no longer reports.
 */
export function isOutOfMemory({ observation }: Assessment, { pod }: MemberView): boolean {
  if (pod?.container.lastExit?.reason !== 'OOMKilled' || pod.container.state === 'running') return false;
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') return false;
  return observation.nodes.get(pod.node)?.ready !== false;
}

/**
 * True if Kubernetes reports that the etcd of this member serves: the readiness probe is a linearizable read. In doubt the result is true,
 * because it prevents the removal of the member: a node of unknown state counts as ready, and a pod of this name counts even if it records
 * another member.
 */
export function isReady({ observation, pods }: Assessment, view: MemberView): boolean {
  const pod = view.pod ?? pods.get(view.name);
  return pod !== undefined && isEtcdReady(pod) && !pod.terminating && observation.nodes.get(pod.node)?.ready !== false;
}

/** Other members that have just received data from this member. */
function heardBy({ members, observation, clusterId }: Assessment, { member }: MemberView): readonly string[] {
  return members
    .filter(({ member: { id }, answer }) => id !== member.id && answer?.kind === 'status' && answer.memberId === id)
    .filter(({ answer }) => answer?.kind === 'status' && answer.clusterId === clusterId)
    .filter(({ name }) => observation.etcd.heard.get(name)?.has(member.id))
    .map(({ name }) => name);
}

/** Evidence from Kubernetes and from the leader about a member that seems dead. A leader hears from every running member. */
function fromOthers(assessment: Assessment, view: MemberView): readonly Evidence[] {
  const { observation } = assessment;
  const { pod } = view;
  const isNodeReady = pod !== undefined && observation.nodes.get(pod.node)?.ready !== false;
  // While CORRUPT is raised, no pod is Ready. So a pod that is not Ready is no evidence.
  const saysNothing = isReady(assessment, view) || (isNodeReady && corruptionOf(assessment) !== undefined);
  const told: Evidence = { source: 'kubernetes', what: whyNotReady(assessment, view) };
  return [...(saysNothing ? [] : [told]), ...fromLeader(assessment, view)];
}

/** Empty if the leader hears from the member, or cannot be asked. */
function fromLeader({ observation, leader }: Assessment, view: MemberView): readonly Evidence[] {
  const report = leader && leader !== view ? observation.etcd.heard.get(leader.name) : undefined;
  return report === undefined || report.has(view.member.id)
    ? []
    : [{ source: 'peers', what: 'the leader receives no data from this member' }];
}

function whyNotReady({ observation }: Assessment, { pod }: MemberView): string {
  if (!pod) return 'it has no pod';
  const node = observation.nodes.get(pod.node);
  if (node && (!node.exists || !node.ready)) return `node ${pod.node} is ${node.exists ? 'not ready' : 'gone'}`;
  return 'its pod is not Ready';
}

/** Evidence from Kubernetes, and from the operator if the member does not answer. */
function evidenceOfLoss({ answer }: MemberView, what: string): readonly Evidence[] {
  const unanswered: Evidence = { source: 'operator', what: 'it is not reachable' };
  return [{ source: 'kubernetes', what }, ...(answer?.kind === 'status' ? [] : [unanswered])];
}

function reasonOf({ health }: MemberView): string {
  switch (health.kind) {
    case 'lost':
    case 'mismatched':
      return health.evidence;
    case 'unreachable':
      return health.why;
    case 'leaderless':
      return 'reachable, no leader';
    case 'podEnding':
      return 'its pod is stuck terminating and holds its volume';
    case 'leaving':
      return 'its pod is being deleted, and its data with it';
    case 'healthy':
    case 'starting':
    case 'unstarted':
    case 'podGone':
    case 'unmanaged':
      return '';
  }
}
