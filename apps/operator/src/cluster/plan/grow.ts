// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, joinsAsLearner, learnersAllowed, parseVersion, versionOf } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { needsDisarming } from './disarm.ts';
import { nextMemberName } from './member-naming.ts';
import { later, type Proposal, pace, patience, soon, take, waitFor } from './proposal.ts';
import { releaseForJoiner } from './release.ts';
import type { PlannedStep, Release } from './step.ts';
import { describeStranger, strangerInTheWay } from './strangers.ts';
import { isStuck } from './stuck-pod.ts';

/** How long a joiner may take to come up before it is given up and tried afresh. Voters are never touched by that. */
const joinLimit = 600_000;
/** The same for one that is up and receives the data: a large database on a slow disk takes its time. */
const catchUpLimit = 3_600_000;
/** How long a learner that is ready waits for others to come up beside it, while the cluster has a single voter. */
const companyLimit = 20_000;

/**
 * Brings learners up and makes them voters, and adds members up to `target`. While the seed is the only voter, all others
 * join side by side and are promoted at the end; later one at a time (operator rules 2, 9, 24).
 */
export function grow(assessment: Assessment, target: number): Proposal | undefined {
  const { own, learners } = assessment;
  return (
    giveUpOnLearner(assessment) ??
    addBesideLearners(assessment, target) ??
    promoteNext(assessment, target) ??
    (own.length < target && learners.length === 0
      ? join(assessment, `the cluster has ${own.length} of ${target} members`)
      : undefined)
  );
}

/** True if all that growth waits for are pods that will not come up by themselves: other work need not wait for them. */
export function isGrowthStuck({ learners }: Assessment): boolean {
  return learners.length > 0 && learners.every(({ pod, answer }) => pod && isStuck(pod) && answer?.kind !== 'status');
}

/** A learner that cannot come up or never catches up is taken out and joins afresh; it does not count for quorum. */
function giveUpOnLearner({ learners, now }: Assessment): Proposal | undefined {
  for (const { member, name, pod, answer } of learners) {
    const limit = answer?.kind === 'status' ? catchUpLimit : joinLimit;
    if (!pod || now - Math.max(pod.seenSince, member.seenSince) <= limit) continue;
    return take(
      { do: 'removeMember', memberId: member.id, name, because: 'dead' },
      `${name} joins afresh: it has not caught up within ${limit / 60_000} minutes`,
    );
  }
  return undefined;
}

function addBesideLearners(assessment: Assessment, target: number): Proposal | undefined {
  const { members, own, learners, voters } = assessment;
  if (learners.length === 0 || own.length >= target || voters.length !== 1) return undefined;
  if (whyNoLearnerFits(assessment, releaseForJoiner(assessment)) !== undefined) return undefined;
  // A joiner names every member in its list and waits for each name to resolve: none may be missing when it starts.
  if (!members.every(isUp)) return undefined;
  return join(assessment, `the cluster has ${own.length} of ${target} members`);
}

/**
 * Why one learner more is too many; undefined if it is not. Every member applies the limit for itself, and one that this operator
 * did not create may have any (operator rule 2). Its learners count like ours.
 */
function whyNoLearnerFits({ members }: Assessment, release: Release): string | undefined {
  const learners = members.filter(({ member }) => member.isLearner);
  const version = versionOrOldest(release.version);
  const contexts = members.map((view) => ({
    version: knownVersionOf(view) ?? version,
    raisedMaxLearners: view.pod !== undefined && !view.pod.adopted,
  }));
  if (learners.length < learnersAllowed([...contexts, { version, raisedMaxLearners: true }])) return undefined;
  const [unmanaged] = learners.filter(({ health }) => health.kind === 'stranger');
  return unmanaged
    ? `Learner ${describeStranger(unmanaged)} was not created by this operator, and etcd takes one learner at a time beside it. Promote it, or remove it with etcdctl member remove.`
    : `Learner ${learners[0]?.name} is joining, and etcd takes one learner at a time.`;
}

/** What is known of a member's version, by its own word or by its pod's. */
function knownVersionOf({ answer, pod }: MemberView): EtcdVersion | undefined {
  return parseVersion(answer?.kind === 'status' ? answer.version : (pod?.version ?? ''));
}

/** What is not known is treated with the care that the oldest version needs. */
function versionOrOldest(text: string): EtcdVersion {
  return parseVersion(text) ?? versionOf('3.3.0');
}

/**
 * True if a member joins as a learner: wherever no voter of ours is known to be too old for it. An unmanaged member, whose version
 * nobody knows, never makes it join as a voter, which would count for quorum before it has started: members are at most one minor
 * apart, so that whoever runs beside voters of ours that know learners knows them, too (safety rule 14).
 */
function isForLearner({ own }: Assessment, release: Release): boolean {
  const known = own.flatMap((view) => (view.member.isLearner ? [] : (knownVersionOf(view) ?? [])));
  return [...known, versionOrOldest(release.version)].every(joinsAsLearner);
}

/** True if its process has started and compared its list with the cluster's, whether or not it serves yet. */
export function isUp({ answer }: MemberView): boolean {
  return answer?.kind === 'status' || answer?.kind === 'peerOnly';
}

function promoteNext(assessment: Assessment, target: number): Proposal | undefined {
  const { learners, own, now, voters } = assessment;
  const [first] = learners;
  if (!first) return undefined;
  const next = learners.find((view) => isInSync(view, furthest(assessment)));
  if (!next) {
    return waitFor(`${first.name} joins the cluster: ${whyNotInSync(first)}`, lookAgainAt(first, now));
  }
  const waitsForCompany = own.length < target || learners.some((view) => !isUp(view));
  const since = next.answer?.kind === 'status' ? next.answer.since : now;
  if (waitsForCompany && voters.length === 1 && now - since < companyLimit) {
    return waitFor(`${next.name} is ready and waits for the other members to come up`, soon);
  }
  return promote(assessment, next);
}

function whyNotInSync({ health }: MemberView): string {
  if (health.kind === 'starting') return health.why;
  return health.kind === 'silent' ? `it is not reachable from the operator (${health.why})` : 'it receives the data';
}

/** Kubernetes tells when a container starts; a learner that receives much data is asked less and less often. */
function lookAgainAt({ pod, answer }: MemberView, now: number): number {
  if (pod && isStuck(pod)) return later;
  if (pod && pod.container.state !== 'running' && !pod.terminating) return pace(now - pod.seenSince);
  return answer ? patience((now - answer.since) / 10) : soon;
}

/** The leader, or, where that is an unmanaged member whom nobody can ask, the voter that has applied most. etcd has the last word. */
function furthest({ leader, healthyVoters }: Assessment): MemberView | undefined {
  if (leader?.health.kind !== 'stranger') return leader;
  const applied = ({ answer }: MemberView) => (answer?.kind === 'status' ? answer.raftAppliedIndex : 0);
  return healthyVoters.toSorted((a, b) => applied(b) - applied(a))[0];
}

function isInSync({ answer, health }: MemberView, leader: MemberView | undefined): boolean {
  return health.kind === 'healthy' && answer?.kind === 'status' && hasCaughtUp(answer.raftAppliedIndex, leader);
}

/** etcd itself asks for nine tenths of the leader's log; asking earlier only earns a refusal. */
export function hasCaughtUp(applied: number, leader: MemberView | undefined): boolean {
  return leader?.answer?.kind === 'status' && applied >= leader.answer.raftAppliedIndex * 0.9;
}

/** Disarmed first, then promoted: a process can start on an empty directory only while it does not vote (rule 1). */
function promote(assessment: Assessment, view: MemberView): Proposal {
  const { member, pod, name } = view;
  const { clusterId } = assessment;
  const steps: PlannedStep[] = [];
  if (pod && needsDisarming(view)) {
    steps.push({
      step: {
        do: 'disarm',
        pod: name,
        uid: pod.uid,
        resourceVersion: pod.resourceVersion,
        clusterId,
        memberId: member.id,
        markVoter: true,
        onVolume: pod.data === 'claim',
        version: pod.version,
      },
      reason: `${name} is about to vote: it must not be able to start on an empty directory`,
    });
  }
  steps.push({
    step: { do: 'promote', memberId: member.id, name },
    reason: `${name} has caught up and becomes a voter`,
  });
  return { steps, waits: [] };
}

/** Why no member can be added at the moment; undefined if one can. */
function whyNobodyCanJoin(assessment: Assessment): string | undefined {
  const { secretProblems } = assessment.observation;
  if (secretProblems.length > 0) return secretProblems.join('; ');
  const release = releaseForJoiner(assessment);
  return (
    strangerInTheWay(assessment) ??
    (isForLearner(assessment, release) ? whyNoLearnerFits(assessment, release) : undefined)
  );
}

/** Adds one member under a computed name. A learner where that is safe, else a voter. */
export function join(assessment: Assessment, reason: string): Proposal {
  const { observation, members, incarnation } = assessment;
  const { cluster } = observation;
  const obstacle = whyNobodyCanJoin(assessment);
  if (obstacle) return waitFor(obstacle, later);
  const ids = members.map((view) => view.member.id);
  const taken = new Set([...observation.pods, ...observation.volumes].map((item) => item.name));
  const name = nextMemberName(cluster.name, cluster.uid, incarnation, ids, taken);
  const release = releaseForJoiner(assessment);
  const learner = isForLearner(assessment, release);
  return take({ do: 'joinMember', name, incarnation, learner, ...release }, `${name} joins: ${reason}`);
}
