// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, joinsAsLearner, learnersAllowed, parseVersion, versionOf } from '@operator-parts/etcd';
import { nextMemberName } from '../../../identity/member-naming.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { describeUnmanaged, unmanagedThatBlocksJoin } from '../healing/unmanaged-members.ts';
import { later, type Proposal, take, waitFor } from '../proposal.ts';
import { cancelDowngradeForJoin } from '../rolling/downgrade.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';
import type { Release } from '../step.ts';

/** Adds one member under a computed name: as a learner where that is safe, otherwise as a voter. */
export function join(assessment: Assessment, reason: string): Proposal {
  const { observation, members, incarnation } = assessment;
  const { cluster } = observation;
  const obstacle = whyNoMemberCanJoin(assessment);
  if (obstacle) return waitFor(obstacle, later);
  const first = cancelDowngradeForJoin(assessment);
  if (first) return first;
  const ids = members.map((view) => view.member.id);
  const taken = new Set([...observation.pods, ...observation.volumes].map((item) => item.name));
  const name = nextMemberName(cluster.name, cluster.uid, incarnation, ids, taken);
  const release = releaseForNewMember(assessment);
  const learner = isForLearner(assessment, release);
  return take({ do: 'joinMember', name, incarnation, learner, ...release }, `Adding member ${name} ${reason}.`);
}

/** Why no member can be added now; undefined if a member can be added. */
function whyNoMemberCanJoin(assessment: Assessment): string | undefined {
  const { secretProblems } = assessment.observation;
  if (secretProblems.length > 0) return `${secretProblems.join('; ')}.`;
  const release = releaseForNewMember(assessment);
  return (
    unmanagedThatBlocksJoin(assessment) ??
    (isForLearner(assessment, release) ? whyNoLearnerFits(assessment, release) : undefined)
  );
}

/**
 * Why no further learner can be added; undefined if a learner can be added. Every member applies its own limit to the number of learners,
 * and the limit of an unmanaged member is unknown (operator rule 2). Unmanaged learners count too.
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

/** A member's version if it is known, as reported by the member or by its pod. */
function knownVersionOf({ answer, pod }: MemberView): EtcdVersion | undefined {
  return parseVersion(answer?.kind === 'status' ? answer.version : (pod?.version ?? ''));
}

/** An unknown version is treated like the oldest version, to be careful. */
function versionOrOldest(text: string): EtcdVersion {
  return parseVersion(text) ?? versionOf('3.3.0');
}

/**
 * True if the new member joins as a learner, which is the case unless one of the operator's own voters is known to be too old for learners.
 * A member that joins as a voter counts for the quorum before it has started. An unmanaged member of unknown version does not change this:
 * the versions in a cluster are at most one minor apart, so this member supports learners if the other voters do (safety rule 14).
 */
function isForLearner({ own }: Assessment, release: Release): boolean {
  const known = own.flatMap((view) => (view.member.isLearner ? [] : (knownVersionOf(view) ?? [])));
  return [...known, versionOrOldest(release.version)].every(joinsAsLearner);
}
