// SPDX-License-Identifier: Apache-2.0

import { type ConditionReason, conditionReasons as reasons, conditionTypes as types } from '../../api/reasons.ts';
import { counted, isOrAre } from '../../counted.ts';
import { clusterGoal, standardConditions } from '../../standard-conditions.ts';
import type { Observation } from '../observation.ts';
import type { Plan } from '../plan/plan.ts';
import { isEverythingLost } from '../plan/quorum/without-quorum.ts';
import { whyUpgradeIsHeld } from '../plan/rolling/upgrade-path.ts';
import { describeAlarm } from './alarm-messages.ts';
import { notices } from './notices.ts';
import { votersInEndpoints, whyServiceIsClosed } from './service-endpoints.ts';

/** A condition without its times. */
export interface ConditionClaim {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** A condition with one of the reasons for EtcdClusters. The standard conditions repeat reasons of these conditions. */
export type OwnClaim = ConditionClaim & { readonly reason: ConditionReason };

/**
 * All conditions that follow from the observation and the plan.
 *
 * @param hasRun the cluster has been available before
 * @param isUpgrading an upgrade is in progress: a member that the upgrade restarts is unavailable for a moment
 */
export function conditionsOf(
  observation: Observation,
  plan: Plan,
  hasRun: boolean,
  isUpgrading = plan.situation === 'upgrading',
): readonly ConditionClaim[] {
  const own: readonly OwnClaim[] = [
    available(observation, plan, hasRun),
    scaling(observation, plan),
    upgrading(observation, plan, isUpgrading),
    recovering(plan),
    ...notices(observation, plan),
  ];
  return [...own, ...standardConditions(clusterGoal(plan, own))];
}

type Claim = (status: OwnClaim['status'], reason: OwnClaim['reason'], message: string) => OwnClaim;

const availability: Claim = (status, reason, message) => ({ type: types.available, status, reason, message });

function available(observation: Observation, plan: Plan, hasRun: boolean): OwnClaim {
  const words = plan.waits.map((wait) => wait.reason).join(' ');
  const { desired } = observation.cluster;
  switch (plan.situation) {
    case 'invalid':
      return availability(
        'False',
        reasons.specInvalid,
        'problems' in desired ? `${desired.problems.join('; ')}.` : words,
      );
    case 'identityConflict':
      return availability('False', reasons.identityConflict, words);
    case 'restoring':
      return availability('False', reasons.restoring, words);
    case 'bootstrapping':
      return availability('False', reasons.bootstrapping, words || 'Creating the first member.');
    case 'locked':
      return availability('Unknown', reasons.accessDenied, words);
    case 'quorumLost':
      return availability(
        'False',
        plan.assessment && isEverythingLost(plan.assessment) ? reasons.dataLost : reasons.quorumLost,
        words,
      );
    case 'unreachable':
      return unreachable(observation, plan, words);
    case 'paused':
      return serving(
        observation,
        plan,
        reasons.paused,
        'The cluster does not serve clients, and spec.paused is true. Set spec.paused to false to have the cluster repaired.',
      );
    case 'coreosOperator':
      return serving(observation, plan, reasons.coreOSOperatorRunning, words);
    case 'deleting':
      return serving(observation, plan, reasons.deleting, 'The EtcdCluster is being deleted.');
    case 'scalingUp':
      return hasRun ? serving(observation, plan, reasons.quorumLost, words) : stillGrowing(observation, plan);
    case 'upgrading':
      return serving(observation, plan, reasons.upgrading, words);
    case 'refused':
      return refused(observation, plan, words);
    case 'healing':
    case 'scalingDown':
    case 'updating':
    case 'steady':
      return serving(observation, plan, reasons.quorumLost, words);
  }
}

/**
 * Unknown if a pod is Ready although no identity is recorded: pods of CoreOS etcd-operator that are not adopted yet may serve, but the
 * operator has not asked them.
 */
function refused(observation: Observation, plan: Plan, words: string): OwnClaim {
  if (plan.assessment) return serving(observation, plan, reasons.quorumLost, words);
  return availability(observation.pods.some(({ ready }) => ready) ? 'Unknown' : 'False', reasons.notAllowed, words);
}

/**
 * Whether the cluster serves clients, according to the answers of etcd. `otherwise` is the reason if there is no quorum. While an alarm is
 * raised, etcd refuses writes, so the cluster is not available.
 */
function serving(
  observation: Observation,
  { assessment }: Plan,
  otherwise: ConditionReason,
  message: string,
): OwnClaim {
  if (!assessment?.hasQuorum) return availability('False', otherwise, message);
  const alarm = describeAlarm(assessment);
  if (alarm) return availability('False', alarm.reason, alarm.message.slice(0, 1024));
  const closed = whyServiceIsClosed(observation, assessment);
  if (closed) return availability('False', reasons.noEndpoints, closed.slice(0, 1024));
  const { voters } = assessment;
  const serve = votersInEndpoints(assessment).length;
  if (serve === voters.length) return availability('True', reasons.available, '');
  const words = `Clients are served, and ${serve} of ${counted(voters.length, 'voter')} ${isOrAre(serve, voters.length)} healthy and Ready. See status.memberDetails.`;
  return availability('True', reasons.degraded, words);
}

/** A member list that was just read shows that etcd serves. The pods show whether clients can reach it. */
function unreachable(observation: Observation, { assessment }: Plan, words: string): OwnClaim {
  if (!assessment?.membershipKnown) return availability('Unknown', reasons.unreachable, words);
  const closed = whyServiceIsClosed(observation, assessment);
  return closed
    ? availability('False', reasons.noEndpoints, `${closed} ${words}`.slice(0, 1024))
    : availability('True', reasons.unreachable, words);
}

function stillGrowing({ cluster }: Observation, { assessment }: Plan): OwnClaim {
  const size = 'size' in cluster.desired ? cluster.desired.size : 0;
  const voting = assessment?.voters.length ?? 0;
  const missing = size - voting;
  const message = `${voting} of ${counted(size, 'member')} ${isOrAre(voting, size)} voting, ${missing} ${isOrAre(missing)} still joining.`;
  return availability('False', reasons.bootstrapping, message);
}

function scaling(observation: Observation, plan: Plan): OwnClaim {
  const size = 'size' in observation.cluster.desired ? observation.cluster.desired.size : 0;
  const current = plan.assessment?.own.length ?? 0;
  const message = `Current cluster size: ${current}, desired cluster size: ${size}`;
  if (plan.situation === 'scalingUp' || plan.situation === 'bootstrapping') {
    return { type: types.scaling, status: 'True', reason: reasons.scalingUp, message };
  }
  if (plan.situation === 'scalingDown')
    return { type: types.scaling, status: 'True', reason: reasons.scalingDown, message };
  return { type: types.scaling, status: 'False', reason: reasons.atSize, message: '' };
}

function upgrading(observation: Observation, plan: Plan, isUnderWay: boolean): OwnClaim {
  const version = 'version' in observation.cluster.desired ? observation.cluster.desired.version : '';
  if (plan.situation !== 'upgrading' && !isUnderWay)
    return { type: types.upgrading, status: 'False', reason: reasons.atVersion, message: '' };
  const isIdle = plan.situation === 'upgrading' && plan.steps.length === 0 && plan.assessment?.hasQuorum;
  const held = isIdle && plan.assessment ? whyUpgradeIsHeld(plan.assessment) : undefined;
  if (held !== undefined)
    return { type: types.upgrading, status: 'False', reason: reasons.upgradeHeld, message: held.slice(0, 1024) };
  return { type: types.upgrading, status: 'True', reason: reasons.upgrading, message: `Upgrading to ${version}.` };
}

function recovering(plan: Plan): OwnClaim {
  if (plan.situation === 'quorumLost')
    return { type: types.recovering, status: 'False', reason: reasons.quorumLost, message: '' };
  if (plan.situation !== 'healing')
    return { type: types.recovering, status: 'False', reason: reasons.allHealthy, message: '' };
  const words = [...plan.steps.map((step) => step.reason), ...plan.waits.map((wait) => wait.reason)].join(' ');
  return { type: types.recovering, status: 'True', reason: reasons.replacingMember, message: words.slice(0, 1024) };
}
