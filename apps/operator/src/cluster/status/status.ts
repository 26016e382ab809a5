// SPDX-License-Identifier: Apache-2.0
import { clientPort } from '@operator-parts/etcd';
import { jsonEqual } from '@operator-parts/kube';
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { mergedCondition } from '../../api/merged-condition.ts';
import { clientServiceName, clusterSelector } from '../../api/names.ts';
import type { Observation } from '../observation.ts';
import type { Assessment, MemberView } from '../plan/assessment.ts';
import type { Plan } from '../plan/plan.ts';
import { isSameVersion } from '../plan/rolling/member-release.ts';
import { conditionsOf } from './conditions.ts';
import { memberDetails, replacedMembers } from './member-details.ts';
import { votersInEndpoints } from './service-endpoints.ts';

/**
 * The status to report. It is written after every reconciliation in which it changes, also after a failure. Fields that are unknown at the
 * moment keep their last known value; fields that this version of the operator does not know are kept.
 */
export function statusOf(
  previous: EtcdClusterStatus | undefined,
  observation: Observation,
  plan: Plan,
  now: string,
): EtcdClusterStatus {
  const { cluster } = observation;
  const { assessment, identity, situation } = plan;
  const upgrade = versions(previous, observation, plan);
  const isUpgrading = situation === 'upgrading' || upgrade.targetVersion !== '';
  const claims = conditionsOf(observation, plan, previous?.phase === 'Running', isUpgrading);
  const conditions = claims.map((claim) => mergedCondition(previous?.conditions ?? [], claim, now));
  const isAvailable = conditions.some((condition) => condition.type === 'Available' && condition.status === 'True');
  const { failedUpgrade: _old, restore: _restore, ...kept } = previous ?? {};
  return {
    ...kept,
    ...phaseOf(previous, plan, isAvailable, conditions),
    ...observedGeneration(previous, observation, plan),
    controlPaused: cluster.paused,
    ...restoreInProgress(observation, plan),
    conditions,
    ...(assessment?.membershipKnown && { size: assessment.members.length }),
    readySize: assessment ? votersInEndpoints(assessment).length : 0,
    serviceName: clientServiceName(cluster.name),
    clientPort,
    selector: clusterSelector(cluster.name),
    members: readiness(observation, assessment),
    ...(assessment && { memberDetails: memberDetails(previous, observation, assessment) }),
    ...(situation === 'restoring' && { memberDetails: replacedMembers(previous) }),
    ...upgrade,
    ...failedUpgrade(previous, cluster.generation, plan),
    ...(identity.kind === 'recorded' && { clusterID: identity.clusterId, incarnation: identity.incarnation }),
    plan: {
      next: plan.steps.map((step) => step.reason.slice(0, 1024)),
      waitingFor: plan.waits.map((wait) => wait.reason.slice(0, 1024)),
    },
  };
}

/**
 * The generation of the spec that was applied or refused. While reconciliation is suspended, a changed spec is neither applied nor refused.
 */
function observedGeneration(
  previous: EtcdClusterStatus | undefined,
  { cluster: { generation } }: Observation,
  { situation }: Plan,
): Pick<EtcdClusterStatus, 'observedGeneration'> {
  const wasPaused = situation === 'paused' && previous?.controlPaused === true;
  const isSuspended = wasPaused || situation === 'coreosOperator' || situation === 'deleting';
  const known = previous?.observedGeneration;
  if (!isSuspended) return { observedGeneration: generation };
  return known === undefined ? {} : { observedGeneration: known };
}

/** The restore operator continues when it reads this field. So the field is not set while a CoreOS etcd-operator runs. */
function restoreInProgress(
  { cluster: { restore } }: Observation,
  { situation }: Plan,
): Pick<EtcdClusterStatus, 'restore'> {
  if (!restore || situation === 'coreosOperator') return {};
  return { restore: { name: restore.name, uid: restore.uid } };
}

/** Creating until the cluster has been available once, Failed only while a person is needed, Running otherwise. */
function phaseOf(
  previous: EtcdClusterStatus | undefined,
  plan: Plan,
  isAvailable: boolean,
  conditions: readonly Condition[],
) {
  const available = conditions.find((condition) => condition.type === 'Available');
  const needsPerson =
    plan.situation === 'identityConflict' ||
    ((plan.situation === 'invalid' || plan.situation === 'refused') && plan.identity.kind === 'unrecorded') ||
    available?.reason === 'DataLost';
  if (needsPerson) return { phase: 'Failed', reason: available?.message ?? '' };
  const hasRun =
    isAvailable || previous?.phase === 'Running' || (previous?.phase === 'Failed' && plan.identity.kind === 'recorded');
  return { phase: hasRun ? 'Running' : 'Creating', reason: '' };
}

function versions(previous: EtcdClusterStatus | undefined, { cluster }: Observation, { assessment, situation }: Plan) {
  const wanted = 'version' in cluster.desired ? cluster.desired.version : '';
  const all = assessment?.own.filter((view) => !view.member.isLearner) ?? [];
  const isMeant = all.length > 0 && all.every((view) => isSameVersion(versionOf(view), wanted));
  const isUnderWay = situation === 'upgrading' || (situation === 'healing' && previous?.targetVersion === wanted);
  // A member that an upgrade restarts counts only once it reports the new version.
  const isThere = isMeant && (!isUnderWay || all.every(({ answer }) => answer?.kind === 'status'));
  return {
    currentVersion: isThere ? wanted : (previous?.currentVersion ?? ''),
    targetVersion: isUnderWay && !isThere ? wanted : '',
  };
}

/** The version that the member reports; if it does not answer, the version of its pod's image. */
function versionOf({ answer, pod }: MemberView): string {
  return answer?.kind === 'status' ? answer.version : (pod?.version ?? '');
}

/** If a member had to be rolled back from a version, this version is not tried again for this generation of the spec. */
function failedUpgrade(previous: EtcdClusterStatus | undefined, generation: number, { steps }: Plan) {
  for (const { step, reason } of steps) {
    if (step.do === 'setImage' && step.because === 'failed')
      return { failedUpgrade: { version: step.from, generation, message: reason } };
  }
  const known = previous?.failedUpgrade;
  return known?.generation === generation ? { failedUpgrade: known } : {};
}

/**
 * The names of the ready members and of the members that are not ready. The pod of a removed member runs for a moment longer and is left
 * out.
 */
function readiness(
  { pods }: Observation,
  assessment: Assessment | undefined,
): NonNullable<EtcdClusterStatus['members']> {
  const listed = assessment?.membershipKnown ? new Set(assessment.members.map(({ name }) => name)) : undefined;
  const running = pods.filter(
    (pod) => pod.ownership === 'ours' && pod.phase === 'Running' && !pod.terminating && !pod.isolated,
  );
  const names = (ready: boolean) =>
    running
      .filter((pod) => pod.ready === ready && (listed?.has(pod.name) ?? true))
      .map((pod) => pod.name)
      .sort();
  const [ready, unready] = [names(true), names(false)];
  return { ...(ready.length > 0 && { ready }), ...(unready.length > 0 && { unready }) };
}

/** True if both are the same, except for figures that change constantly. */
export function saysTheSame(a: EtcdClusterStatus | undefined, b: EtcdClusterStatus): boolean {
  return a !== undefined && jsonEqual(withoutFigures(a), withoutFigures(b));
}

/** True if a constantly changing figure has changed. */
export function figuresMoved(a: EtcdClusterStatus | undefined, b: EtcdClusterStatus): boolean {
  return !jsonEqual(a?.memberDetails ?? [], b.memberDetails ?? []);
}

function withoutFigures({ memberDetails, ...rest }: EtcdClusterStatus): unknown {
  return {
    ...rest,
    memberDetails: memberDetails?.map(({ revision: _revision, databaseSize: _size, ...detail }) => detail) ?? [],
  };
}
