// SPDX-License-Identifier: Apache-2.0
import { type Objection, objectionsTo } from '../../safety/gate.ts';
import type { Assessment } from './assessment.ts';
import { corruptionOf, isDisputed } from './corruption.ts';
import { corruptMember, objectionsToRemoval } from './dead-member.ts';
import { isComplete, isLeftover, standsInTheWay } from './leftovers.ts';
import { later, type Proposal } from './proposal.ts';
import { isScaleInAsked } from './shrink.ts';
import type { Step } from './step.ts';
import { listedOrRemembered } from './unstarted.ts';
import { isOnLostNode } from './without-quorum.ts';

/** A plan for a running cluster, without the destructive steps that the gate objects to, whichever rule proposed them. */
export function gated(assessment: Assessment, { steps, waits }: Proposal): Proposal {
  const judged = steps.map((planned) => ({ planned, objections: objectionsToStep(assessment, planned.step) }));
  const held = judged.filter(({ objections }) => objections.length > 0);
  return {
    steps: judged.filter(({ objections }) => objections.length === 0).map(({ planned }) => planned),
    waits: [
      ...waits,
      ...held.map(({ planned, objections }) => ({
        reason: `Not done, because ${objections.map(({ evidence }) => evidence).join(' and ')}: ${planned.reason}`,
        lookAgainAfter: later,
      })),
    ],
  };
}

function objectionsToStep(assessment: Assessment, step: Step): readonly Objection[] {
  switch (step.do) {
    case 'removeMember':
      return objectionsToVote(assessment, step);
    case 'deletePod':
      return objectionsTo('deletePod', doomedPod(assessment, step.name, step.force));
    case 'deleteVolume':
      return objectionsTo('deleteVolume', doomedVolume(assessment, step.name));
    case 'disarmAlarm':
      return objectionsTo('disarmAlarm', { isSettled: corruptionOf(assessment)?.isSettled ?? true });
    case 'joinMember':
    case 'promote':
      return objectionsTo('admitMember', admission(assessment, false));
    case 'createPod':
      return step.boot === 'existing' ? objectionsTo('admitMember', admission(assessment, true)) : [];
    case 'createSeed':
    case 'ensureService':
    case 'ensureBudget':
    case 'deleteBudget':
    case 'latchIdentity':
    case 'disarm':
    case 'moveLeader':
    case 'readdress':
    case 'renewBootList':
    case 'fencePod':
    case 'unfencePod':
    case 'updatePod':
    case 'checkImage':
    case 'deleteImageCheck':
    case 'setImage':
    case 'settleImage':
    case 'setSnapshotCount':
    case 'nudgeSnapshot':
    case 'enableDowngrade':
    case 'cancelDowngrade':
    case 'resizePod':
      return [];
  }
}

/** A learner has no vote and nothing that others lack: it may go, and join again. */
function objectionsToVote(
  assessment: Assessment,
  { memberId, because }: Extract<Step, { do: 'removeMember' }>,
): readonly Objection[] {
  const view = assessment.members.find(({ member }) => member.id === memberId);
  if (!view || view.member.isLearner) return [];
  switch (because) {
    case 'scale':
      // Without anybody having asked for fewer, this is a replacement, and nobody goes for being out of the operator's reach.
      return view.health.kind === 'healthy' || isScaleInAsked(assessment) ? [] : objectionsToRemoval(assessment, view);
    case 'dead':
      return objectionsToRemoval(assessment, view);
    case 'corrupt':
      return objectionsTo('removeCorruptMember', corruptMember(assessment, view));
  }
}

/** A voter that is listed and has not started is missed: it may start as long as the leader, whose data it gets, is in order. */
function admission(assessment: Assessment, isListed: boolean) {
  const corruption = corruptionOf(assessment);
  const { leader } = assessment;
  return {
    isCorrupt: corruption !== undefined,
    isListed,
    isSourceSound: leader ? corruption?.sound.includes(leader) === true : false,
  };
}

function doomedPod(assessment: Assessment, name: string, isForced: boolean) {
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
    // A voter on a volume may be restarted: who decides that has asked whether the others can do without it.
    answersAsMember:
      pod?.data !== 'claim' &&
      answer?.kind === 'status' &&
      answer.clusterId === clusterId &&
      members.some((member) => member.id === answer.memberId),
    isReady:
      pod?.ready === true &&
      pod.data !== 'claim' &&
      !pod.terminating &&
      observation.nodes.get(pod.node)?.ready !== false,
    isForced,
    isNodeLost: pod !== undefined && isOnLostNode(assessment, pod),
    isDisputed: isDisputed(assessment) && pod?.data !== 'claim' && pod?.memberId !== '',
  };
}

function doomedVolume(assessment: Assessment, name: string) {
  const volume = assessment.volumes.get(name);
  return {
    isListed: volume !== undefined && !isLeftover(assessment, volume),
    isInUse: assessment.pods.has(name),
    isRecorded: volume?.memberId !== '',
    isReplaced: isComplete(assessment),
    isInTheWay: volume !== undefined && standsInTheWay(assessment, volume),
    isCorrupt: corruptionOf(assessment) !== undefined,
  };
}
