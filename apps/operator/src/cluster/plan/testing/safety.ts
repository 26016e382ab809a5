// SPDX-License-Identifier: Apache-2.0
import { joinsAsLearner, parseVersion, quorum } from '@operator-parts/etcd';
import type { Observation } from '../../observation.ts';
import type { Plan } from '../plan.ts';
import type { Step } from '../step.ts';
import { type Check, isCurrent, isHealthy, listed, podOf, steps, voters } from './as-seen.ts';
import {
  forcedWhereNothingRuns,
  healthyPodsHaveSuccessors,
  isGoneForGood,
  leadersHandOver,
  learnersHaveCaughtUp,
  onlyCopiesStay,
  ownClusterIsRecorded,
  theSickGoFirst,
  volumesOutliveTheirReplacement,
} from './careful-changes.ts';
import { changesVoters } from './changes-voters.ts';

/**
 * The safety rules, written a second time and independently of the planner: what no plan may contain, whatever was observed. Each check
 * returns violations as text; none of them uses code of the planner.
 */

const remembered = ({ etcd: { membership } }: Observation) =>
  membership.kind === 'known' ? membership.members : (membership.remembered ?? []);

const oneChangeOfVoters: Check = (plan) =>
  plan.steps.filter(({ step }) => changesVoters(step)).length > 1 ? ['two changes of voters'] : [];

/** Safety rule 5. */
const removalsKeepQuorum: Check = (plan, seen) =>
  steps(plan, 'removeMember').flatMap(({ memberId }) => {
    const all = voters(seen);
    if (!all.some((member) => member.id === memberId)) return [];
    const rest = all.filter((member) => member.id !== memberId);
    // The operator cannot ask members that it did not create. They count while a member that the operator can ask has received data from
    // them.
    const isHeard = ({ id, podName }: { id: string; podName: string }) =>
      !podOf(plan, seen, podName) &&
      all.some((other) => isHealthy(plan, seen, other) && seen.etcd.heard.get(other.podName)?.has(id));
    const healthy = rest.filter((member) => isHealthy(plan, seen, member) || isHeard(member)).length;
    return healthy < quorum(rest.length) ? [`removing ${memberId} leaves ${healthy} of ${rest.length}`] : [];
  });

/**
 * Safety rule 5. Clusters of one and two voters cannot restart a member and keep a quorum: there a restart is allowed if all other voters
 * are healthy and the reason of the step names the consequence.
 */
const stopsKeepQuorum: Check = (plan, seen) => {
  const stopped = [
    ...steps(plan, 'setImage').map(({ pod }) => pod),
    ...steps(plan, 'deletePod').map(({ name }) => name),
  ];
  const all = voters(seen);
  const victims = all.filter((member) => stopped.includes(member.podName) && isHealthy(plan, seen, member));
  if (victims.length === 0) return [];
  const rest = all.filter((member) => !victims.includes(member) && isHealthy(plan, seen, member)).length;
  const needed = all.length >= 3 ? quorum(all.length) : all.length - 1;
  return rest < needed ? [`stopping ${victims.map(({ podName }) => podName).join()} leaves ${rest}`] : [];
};

/** Safety rule 1, operator rule 5. */
const seedsOnlyOnNothing: Check = (plan, { cluster, pods, volumes }) =>
  steps(plan, 'createSeed').flatMap(({ name }) => {
    const isRecorded = [cluster.recordedInStatus, cluster.recordedInAnnotation].some(
      (found) => found && (found.clusterId !== '' || found.incarnation > 1),
    );
    const volume = volumes.find((item) => item.ownership === 'ours' && (item.name !== name || item.clusterId !== ''));
    return isRecorded || volume || pods.length > 0 ? ['a seed beside something of an identity'] : [];
  });

/** Safety rule 13: a voter that is Ready, or that its peers hear, is not removed as dead. Unless Kubernetes is deleting its pod and the pod has no volume: then the data is lost anyway. */
const livingVotersStay: Check = (plan, seen) =>
  steps(plan, 'removeMember').flatMap(({ memberId, because, name }) => {
    const pod = podOf(plan, seen, name);
    const isVoter = voters(seen).some(({ id }) => id === memberId);
    if (because !== 'dead' || !isVoter || (pod?.terminating && pod.data !== 'claim')) return [];
    const answer = seen.etcd.answers.get(name);
    const clusterId = plan.identity.kind === 'recorded' ? plan.identity.clusterId : '';
    const isItself = answer?.kind !== 'status' || (answer.memberId === memberId && answer.clusterId === clusterId);
    const isReady = pod?.ready && !pod.terminating && seen.nodes.get(pod.node)?.ready !== false && isItself;
    const isHeard = voters(seen).some(
      (other) =>
        isHealthy(plan, seen, other) && other.id !== memberId && seen.etcd.heard.get(other.podName)?.has(memberId),
    );
    return [
      ...(isReady ? [`${name} is Ready and is removed as dead`] : []),
      ...(isHeard ? [`${name} is heard by its peers and is removed as dead`] : []),
    ];
  });

/** Safety rule 14. */
const joinAsLearners: Check = (plan, seen) =>
  steps(plan, 'joinMember').flatMap(({ learner, name, version }) => {
    const versions = voters(seen).flatMap(({ podName }) => {
      const answer = seen.etcd.answers.get(podName);
      const text = answer?.kind === 'status' ? answer.version : podOf(plan, seen, podName)?.version;
      return podOf(plan, seen, podName) ? (parseVersion(text ?? '') ?? []) : [];
    });
    const wanted = parseVersion(version);
    const couldLearn = wanted !== undefined && [...versions, wanted].every(joinsAsLearner);
    return !learner && couldLearn ? [`${name} joins as a voter, although it could join as a learner`] : [];
  });

/** Operator rule 2. */
const learnersAreFew: Check = (plan, seen) =>
  steps(plan, 'joinMember').flatMap(({ name, learner }) => {
    const others = listed(seen).filter(({ isLearner }) => isLearner);
    const unmanaged = others.filter(({ podName }) => !podOf(plan, seen, podName));
    return learner && unmanaged.length > 0 ? [`${name} is a learner beside one that is not ours`] : [];
  });

/** Operator rule 1. */
const votersAreCleared: Check = (plan, seen) =>
  steps(plan, 'promote').flatMap(({ name }) => {
    const boot = podOf(plan, seen, name)?.boot;
    const hasBootstrapConfiguration = boot === 'new' || boot === 'existing';
    const isBootstrapCleared = steps(plan, 'clearBootstrap').some(({ pod }) => pod === name);
    return boot === undefined || (hasBootstrapConfiguration && !isBootstrapCleared)
      ? [`${name} is promoted with its bootstrap configuration`]
      : [];
  });

const onlyUnstartedMayBootstrap: Check = (plan, seen) =>
  steps(plan, 'createPod').flatMap(({ name, boot, memberId }) => {
    const member = remembered(seen).find(({ id }) => id === memberId);
    return boot === 'existing' && member?.name !== ''
      ? [`${name} has a bootstrap configuration, and has run before`]
      : [];
  });

const listedKeepTheirVolumes: Check = (plan, seen) =>
  steps(plan, 'deleteVolume').flatMap(({ name }) => {
    const volume = seen.volumes.find((item) => item.name === name && isCurrent(plan, item));
    const isListed = listed(seen).some(
      ({ id, podName }) => podName === name && (volume?.memberId === '' || volume?.memberId === id),
    );
    return isListed || !volume ? [`volume ${name} of a listed member`] : [];
  });

/** Safety rule 7. The allowed steps stop no running member and let no member start on other data than its own. */
const nothingBelowQuorum: Check = (plan, seen) => {
  if (plan.situation !== 'quorumLost' && plan.situation !== 'locked') return [];
  const isHarmless = (step: Step): boolean => {
    switch (step.do) {
      case 'ensureService':
      case 'recordIdentity':
      case 'isolatePod':
      case 'unisolatePod':
      case 'confirmImage':
        return true;
      case 'clearBootstrap':
        return podOf(plan, seen, step.pod)?.terminating === false;
      case 'recoverQuorum':
        return isGoneForGood(seen, step.lost);
      case 'createPod':
        return step.boot === 'existing' || (step.onVolume && seen.volumes.some(({ name }) => name === step.name));
      case 'deletePod':
      case 'setImage': {
        const name = step.do === 'setImage' ? step.pod : step.name;
        const pod = podOf(plan, seen, name);
        const hasEnded = pod?.phase === 'Failed' || pod?.phase === 'Succeeded' || pod?.terminating;
        const hasNone = remembered(seen).some((member) => member.podName === name && member.name === '');
        const keepsData = step.do === 'setImage' || pod?.data === 'claim' || hasNone;
        return (
          keepsData && (hasEnded || (seen.etcd.answers.get(name)?.kind !== 'status' && pod?.container.startedAt === 0))
        );
      }
      case 'ensureBudget':
      case 'deleteBudget':
      case 'createSeed':
      case 'joinMember':
      case 'promote':
      case 'moveLeader':
      case 'removeMember':
      case 'readdress':
      case 'renewBootList':
      case 'deleteVolume':
      case 'updatePod':
      case 'checkImage':
      case 'deleteImageCheck':
      case 'setSnapshotCount':
      case 'nudgeSnapshot':
      case 'enableDowngrade':
      case 'cancelDowngrade':
      case 'disarmAlarm':
      case 'resizePod':
        return false;
    }
  };
  return plan.steps.filter(({ step }) => !isHarmless(step)).map(({ step }) => `${step.do} below quorum`);
};

/** Safety rule 12. */
const onlyOursIsTouched: Check = (plan, seen) => {
  const touched = [
    ...steps(plan, 'deletePod').map(({ name }) => name),
    ...steps(plan, 'updatePod').map(({ name }) => name),
    ...steps(plan, 'setImage').map(({ pod }) => pod),
    ...steps(plan, 'clearBootstrap').map(({ pod }) => pod),
  ];
  const isolated = steps(plan, 'isolatePod').filter(
    ({ name }) => seen.pods.find((pod) => pod.name === name)?.ownership !== 'ours',
  );
  return [
    ...touched.filter((name) => !podOf(plan, seen, name)).map((name) => `pod ${name} is not ours`),
    ...isolated.map(({ name }) => `pod ${name} is not ours to isolate`),
  ];
};

const adoptedAreNotPatched: Check = (plan, seen) =>
  steps(plan, 'setImage').flatMap(({ pod }) => (podOf(plan, seen, pod)?.adopted ? [`${pod} is patched`] : []));

const namesAreFree: Check = (plan, seen) =>
  steps(plan, 'joinMember').flatMap(({ name }) =>
    [...seen.pods, ...seen.volumes].some((item) => item.name === name) ||
    listed(seen).some(({ podName }) => podName === name)
      ? [`${name} is taken`]
      : [],
  );

const handsOff: Check = (plan, { cluster, coreosOperator }) => {
  // A restore brings its cluster to full size even if it is paused; the pause applies again afterwards.
  const isHandsOff =
    (cluster.paused && !cluster.restore) ||
    cluster.deleting ||
    'problems' in cluster.desired ||
    (cluster.refusals?.length ?? 0) > 0 ||
    coreosOperator !== undefined ||
    plan.identity.kind === 'conflict';
  return isHandsOff && plan.steps.length > 0 ? ['steps for a cluster that is to be left alone'] : [];
};

const reasonsAreReadable: Check = (plan) =>
  [...plan.steps, ...plan.waits]
    .filter(({ reason }) => reason.length === 0 || reason.length > 1024)
    .map(({ reason }) => `a reason of ${reason.length} characters`);

const checks: readonly Check[] = [
  leadersHandOver,
  learnersHaveCaughtUp,
  ownClusterIsRecorded,
  theSickGoFirst,
  volumesOutliveTheirReplacement,
  onlyCopiesStay,
  forcedWhereNothingRuns,
  healthyPodsHaveSuccessors,
  oneChangeOfVoters,
  removalsKeepQuorum,
  stopsKeepQuorum,
  seedsOnlyOnNothing,
  livingVotersStay,
  joinAsLearners,
  learnersAreFew,
  votersAreCleared,
  onlyUnstartedMayBootstrap,
  listedKeepTheirVolumes,
  nothingBelowQuorum,
  onlyOursIsTouched,
  adoptedAreNotPatched,
  namesAreFree,
  handsOff,
  reasonsAreReadable,
];

/** All violations in a plan, as text. */
export function violations(plan: Plan, seen: Observation): readonly string[] {
  return checks.flatMap((check) => check(plan, seen));
}
