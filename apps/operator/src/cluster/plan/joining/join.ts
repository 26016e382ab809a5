// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, joinsAsLearner, learnersAllowed, parseVersion, versionOf } from '@etcd-operator/etcd';
import { nextMemberName } from '../../../identity/member-naming.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { describeUnmanaged, unmanagedInTheWay } from '../healing/unmanaged-members.ts';
import { later, type Proposal, take, waitFor } from '../proposal.ts';
import { makeWayForJoining } from '../rolling/downgrade.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';
import type { Release } from '../step.ts';

/** Adds one member under a computed name. A learner where that is safe, else a voter. */
export function join(assessment: Assessment, reason: string): Proposal {
  const { observation, members, incarnation } = assessment;
  const { cluster } = observation;
  const obstacle = whyNobodyCanJoin(assessment);
  if (obstacle) return waitFor(obstacle, later);
  const first = makeWayForJoining(assessment);
  if (first) return first;
  const ids = members.map((view) => view.member.id);
  const taken = new Set([...observation.pods, ...observation.volumes].map((item) => item.name));
  const name = nextMemberName(cluster.name, cluster.uid, incarnation, ids, taken);
  const release = releaseForNewMember(assessment);
  const learner = isForLearner(assessment, release);
  return take({ do: 'joinMember', name, incarnation, learner, ...release }, `Adding member ${name} ${reason}.`);
}

/** Why no member can be added at the moment; undefined if one can. */
function whyNobodyCanJoin(assessment: Assessment): string | undefined {
  const { secretProblems } = assessment.observation;
  if (secretProblems.length > 0) return `${secretProblems.join('; ')}.`;
  const release = releaseForNewMember(assessment);
  return (
    unmanagedInTheWay(assessment) ??
    (isForLearner(assessment, release) ? whyNoLearnerFits(assessment, release) : undefined)
  );
}

/**
 * Why one learner more is too many; undefined if it is not. Every member applies the limit for itself, and one that this operator
 * did not create may have any (operator rule 2). Its learners count like ours.
 */
export function whyNoLearnerFits({ members }: Assessment, release: Release): string | undefined {
  const learners = members.filter(({ member }) => member.isLearner);
  const version = versionOrOldest(release.version);
  const contexts = members.map((view) => ({
    version: knownVersionOf(view) ?? version,
    raisedMaxLearners: view.pod !== undefined && !view.pod.adopted,
  }));
  if (learners.length < learnersAllowed([...contexts, { version, raisedMaxLearners: true }])) return undefined;
  const [unmanaged] = learners.filter(({ health }) => health.kind === 'unmanaged');
  return unmanaged
    ? `No member can join because of unmanaged learner ${describeUnmanaged(unmanaged)}: etcd accepts one learner at a time. Promote that learner, or remove it with etcdctl member remove.`
    : `Waiting for learner ${learners[0]?.name}: etcd accepts one learner at a time.`;
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
 * True if the new member joins as a learner: unless one of the operator's own voters is known to be too old for learners. An
 * unmanaged member, whose version is not known, is not a reason to join as a voter, which would count for the quorum before it has
 * started: members are at most one minor apart, so a member next to voters that support learners supports them, too (safety rule 14).
 */
function isForLearner({ own }: Assessment, release: Release): boolean {
  const known = own.flatMap((view) => (view.member.isLearner ? [] : (knownVersionOf(view) ?? [])));
  return [...known, versionOrOldest(release.version)].every(joinsAsLearner);
}
