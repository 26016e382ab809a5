// SPDX-License-Identifier: Apache-2.0
import { joinsAsLearner, learnersAllowed, parseVersion, versionOf } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { correctPodThatNeverRan } from './bootstrap.ts';
import { nextMemberName } from './member-naming.ts';
import { later, type Proposal, soon, take, waitFor } from './proposal.ts';
import type { PlannedStep } from './step.ts';

/** How long a joiner may take to come up before it is given up and tried afresh. Voters are never touched by that. */
const joinLimit = 600_000;
/** How long a learner that is ready waits for others to come up beside it, while the cluster has a single voter. */
const companyLimit = 20_000;

/**
 * Brings learners up and makes them voters, and adds members up to `target`. While the seed is the only voter, all others
 * join side by side and are promoted at the end; later one at a time (operator rules 2, 9, 24).
 */
export function grow(assessment: Assessment, target: number): Proposal | undefined {
  return (
    giveUpOnLearner(assessment) ??
    addBesideLearners(assessment, target) ??
    promoteNext(assessment, target) ??
    (assessment.members.length < target && assessment.learners.length === 0
      ? join(assessment, `the cluster has ${assessment.members.length} of ${target} members`)
      : undefined)
  );
}

/** A learner that cannot come up, or whose pod the spec no longer describes, is taken out; it does not count for quorum. */
function giveUpOnLearner({ learners, desired, now }: Assessment): Proposal | undefined {
  for (const { member, name, pod, health } of learners) {
    if (!pod || health.kind === 'healthy') continue;
    const correction = correctPodThatNeverRan(pod, desired);
    const tooLong = now - pod.createdAt > joinLimit;
    if (!correction && !tooLong) continue;
    const why = correction?.steps[0]?.reason ?? `it has not caught up within ${joinLimit / 60_000} minutes`;
    return take({ do: 'removeMember', memberId: member.id, name, because: 'dead' }, `${name} joins afresh: ${why}`);
  }
  return undefined;
}

function addBesideLearners(assessment: Assessment, target: number): Proposal | undefined {
  const { members, learners, voters } = assessment;
  if (learners.length === 0 || members.length >= target || voters.length !== 1) return undefined;
  const contexts = members.map(learnerContext);
  const joiner = { version: versionOf(assessment.desired.version), raisedMaxLearners: true };
  if (learners.length + 1 > learnersAllowed([...contexts, joiner])) return undefined;
  // A joiner names every member in its list and waits for each name to resolve: none may be missing when it starts.
  if (!members.every(isUp)) return undefined;
  return join(assessment, `the cluster has ${members.length} of ${target} members`);
}

function learnerContext({ answer, pod }: MemberView) {
  const text = answer?.kind === 'status' ? answer.version : (pod?.version ?? '');
  return { version: parseVersion(text) ?? versionOf('3.3.0'), raisedMaxLearners: pod !== undefined && !pod.adopted };
}

function isUp({ answer }: MemberView): boolean {
  return answer?.kind === 'status' || answer?.kind === 'peerOnly';
}

function promoteNext(assessment: Assessment, target: number): Proposal | undefined {
  const { learners, members, leader, now } = assessment;
  if (learners.length === 0) return undefined;
  const ready = learners.filter((view) => isInSync(view, leader));
  const [next] = ready;
  if (!next) {
    const [first] = learners;
    const why = first?.health.kind === 'starting' ? first.health.why : 'it receives the data';
    const isPodStuck = first?.pod?.container.state === 'waiting' && first.pod.container.reason !== '';
    return waitFor(`${first?.name ?? 'a learner'} joins the cluster: ${why}`, isPodStuck ? later : soon);
  }
  const waitsForCompany = members.length < target || learners.some((view) => !isUp(view));
  const since = next.answer?.kind === 'status' ? next.answer.since : now;
  if (waitsForCompany && assessment.voters.length === 1 && now - since < companyLimit) {
    return waitFor(`${next.name} is ready and waits for the other members to come up`, soon);
  }
  return promote(assessment, next);
}

/** etcd itself asks for nine tenths of the leader's log; asking earlier only earns a refusal. */
function isInSync({ answer }: MemberView, leader: MemberView | undefined): boolean {
  if (answer?.kind !== 'status' || leader?.answer?.kind !== 'status') return false;
  return answer.leaderId !== '' && answer.raftAppliedIndex >= leader.answer.raftAppliedIndex * 0.9;
}

/** Disarmed first, then promoted: a process can start on an empty directory only while it does not vote (rule 1). */
function promote({ clusterId }: Assessment, { member, pod, name }: MemberView): Proposal {
  const steps: PlannedStep[] = [];
  if (pod && (pod.boot === 'existing' || !pod.markedVoter)) {
    steps.push({
      step: {
        do: 'disarm',
        pod: name,
        uid: pod.uid,
        resourceVersion: pod.resourceVersion,
        clusterId,
        memberId: member.id,
        markVoter: true,
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

/** Adds one member under a computed name. A learner where that is safe, else a voter. */
export function join(assessment: Assessment, reason: string): Proposal | undefined {
  const { observation, members, incarnation, desired } = assessment;
  if (observation.secretProblems.length > 0) return waitFor(observation.secretProblems.join('; '), later);
  const { cluster } = observation;
  const ids = members.map((view) => view.member.id);
  const taken = new Set([...observation.pods, ...observation.volumes].map((item) => item.name));
  const name = nextMemberName(cluster.name, cluster.uid, incarnation, ids, taken);
  const versions = [...members.map((view) => learnerContext(view).version), versionOf(desired.version)];
  return take(
    { do: 'joinMember', name, incarnation, learner: versions.every(joinsAsLearner) },
    `${name} joins: ${reason}`,
  );
}
