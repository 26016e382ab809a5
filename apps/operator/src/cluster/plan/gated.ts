// SPDX-License-Identifier: Apache-2.0
import { type Objection, objectionsTo } from '../../safety/gate.ts';
import { type Assessment, listedOrRemembered } from './assessment.ts';
import { corruptionOf, isDisputed } from './healing/corruption.ts';
import { corruptMember, objectionsToRemoval } from './healing/dead-member.ts';
import { isEtcdReady } from './member-health.ts';
import { later, type Proposal } from './proposal.ts';
import { isOnLostNode } from './quorum/lost-node.ts';
import { lostQuorum } from './quorum/recovery.ts';
import { blocksJoin, isComplete, isLeftover } from './scaling/leftovers.ts';
import { isScaleInAsked } from './scaling/shrink.ts';
import { type GatedStep, isGated, type Step } from './step.ts';

/**
 * The steps of a plan for a running cluster to which the safety gate (`safety/gate.ts`) does not object, whichever rule proposed them. The
 * other steps become waits.
 */
export function gated(assessment: Assessment, { steps, waits }: Proposal): Proposal {
  const judged = steps.map((planned) => ({
    planned,
    objections: isGated(planned.step) ? objectionsToStep(assessment, planned.step) : [],
  }));
  const held = judged.filter(({ objections }) => objections.length > 0);
  return {
    steps: judged.filter(({ objections }) => objections.length === 0).map(({ planned }) => planned),
    waits: [
      ...waits,
      ...held.map(({ planned, objections }) => ({
        reason: `This step is held back, because ${objections.map(({ evidence }) => evidence).join(' and ')}: ${planned.reason}`,
        retryAfter: later,
      })),
    ],
  };
}

function objectionsToStep(assessment: Assessment, step: GatedStep): readonly Objection[] {
  switch (step.do) {
    case 'removeMember':
      return objectionsToVote(assessment, step);
    case 'deletePod':
      return objectionsTo('deletePod', podToDelete(assessment, step.name, step.force));
    case 'deleteVolume':
      return objectionsTo('deleteVolume', volumeToDelete(assessment, step.name));
    case 'disarmAlarm':
      return objectionsTo('disarmAlarm', { isSettled: corruptionOf(assessment)?.isSettled ?? true });
    case 'recoverQuorum':
      return objectionsTo('recoverQuorum', lostQuorum(assessment));
    case 'joinMember':
    case 'promote':
      return objectionsTo('admitMember', admission(assessment, false));
    case 'createPod':
      return step.boot === 'existing' ? objectionsTo('admitMember', admission(assessment, true)) : [];
    case 'createSeed':
      // `bootstrap` has already asked the gate, because there is no assessment before the cluster is bootstrapped.
      return [];
  }
}

/** Nothing to object for a learner: it has no vote and no data that other members lack, and a new learner can take its place. */
function objectionsToVote(
  assessment: Assessment,
  { memberId, because }: Extract<Step, { do: 'removeMember' }>,
): readonly Objection[] {
  const view = assessment.members.find(({ member }) => member.id === memberId);
  if (!view || view.member.isLearner) return [];
  switch (because) {
    case 'scale':
      // If the spec does not ask for fewer members, the removal belongs to a replacement. No member is removed only because the operator
      // cannot reach it.
      return view.health.kind === 'healthy' || isScaleInAsked(assessment) ? [] : objectionsToRemoval(assessment, view);
    case 'dead':
      return objectionsToRemoval(assessment, view);
    case 'corrupt':
      return objectionsTo('removeCorruptMember', corruptMember(assessment, view));
  }
}

/**
 * The facts by which the gate judges a new member. While CORRUPT is raised, only a voter that etcd already lists may start, because its
 * vote is missing, and only if the data that the leader sends to it is valid.
 */
function admission(assessment: Assessment, isListed: boolean) {
  const corruption = corruptionOf(assessment);
  const { leader } = assessment;
  return {
    isCorrupt: corruption !== undefined,
    isListed,
    isSourceSound: leader ? corruption?.sound.includes(leader) === true : false,
  };
}

function podToDelete(assessment: Assessment, name: string, isForced: boolean) {
  const { pods, observation, clusterId } = assessment;
  const pod = pods.get(name);
  const members = listedOrRemembered(assessment);
  const answer = observation.etcd.answers.get(name);
  const isOver = pod?.phase === 'Failed' || pod?.phase === 'Succeeded';
  const isGone = (id: string) => pod?.memberId !== '' && pod?.memberId !== id;
  return {
    holdsMemberData:
      pod?.data !== 'claim' &&
      !isOver &&
      members.some((member) => member.podName === name && member.name !== '' && !isGone(member.id)),
    // A voter on a volume may be restarted: the rule that proposes the restart has checked that the other voters are a quorum.
    answersAsMember:
      pod?.data !== 'claim' &&
      answer?.kind === 'status' &&
      answer.clusterId === clusterId &&
      members.some((member) => member.id === answer.memberId),
    isReady:
      pod !== undefined &&
      isEtcdReady(pod) &&
      pod.data !== 'claim' &&
      !pod.terminating &&
      observation.nodes.get(pod.node)?.ready !== false,
    isForced,
    isNodeLost: pod !== undefined && isOnLostNode(assessment, pod),
    isDisputed: isDisputed(assessment) && pod?.data !== 'claim' && pod?.memberId !== '',
  };
}

function volumeToDelete(assessment: Assessment, name: string) {
  const volume = assessment.volumes.get(name);
  return {
    isListed: volume !== undefined && !isLeftover(assessment, volume),
    isInUse: assessment.pods.has(name),
    isRecorded: volume?.memberId !== '',
    isReplaced: isComplete(assessment),
    isInTheWay: volume !== undefined && blocksJoin(assessment, volume),
    isCorrupt: corruptionOf(assessment) !== undefined,
  };
}
