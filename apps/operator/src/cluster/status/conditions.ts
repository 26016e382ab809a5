// SPDX-License-Identifier: Apache-2.0
import { conditionReasons as reasons, conditionTypes as types } from '../../api/reasons.ts';
import type { Observation } from '../observation.ts';
import type { Plan } from '../plan/plan.ts';
import { whyUpgradeIsHeld } from '../plan/upgrade-path.ts';
import { isEverythingLost } from '../plan/without-quorum.ts';
import { describeAlarm } from './alarm-words.ts';
import { notices } from './notices.ts';

/** What a condition says, without its times. */
export interface ConditionClaim {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** All conditions that follow from what was seen and decided. `hasRun`: the cluster has been available before. */
export function conditionsOf(observation: Observation, plan: Plan, hasRun: boolean): readonly ConditionClaim[] {
  return [
    available(observation, plan, hasRun),
    scaling(observation, plan),
    upgrading(observation, plan),
    recovering(plan),
    ...notices(observation, plan),
  ];
}

type Claim = (status: ConditionClaim['status'], reason: string, message: string) => ConditionClaim;

const availability: Claim = (status, reason, message) => ({ type: types.available, status, reason, message });

function available(observation: Observation, plan: Plan, hasRun: boolean): ConditionClaim {
  const words = plan.waits.map((wait) => wait.reason).join('; ');
  const { desired } = observation.cluster;
  switch (plan.situation) {
    case 'invalid':
      return availability('False', reasons.specInvalid, 'problems' in desired ? desired.problems.join('; ') : words);
    case 'identityConflict':
      return availability('False', reasons.identityConflict, words);
    case 'restoring':
      return availability('False', reasons.restoring, words);
    case 'bootstrapping':
      return availability('False', reasons.bootstrapping, words || 'the first member is being made');
    case 'locked':
      return availability('Unknown', reasons.accessDenied, words);
    case 'quorumLost':
      return availability(
        'False',
        plan.assessment && isEverythingLost(plan.assessment) ? reasons.dataLost : reasons.quorumLost,
        words,
      );
    case 'unreachable':
      return availability(plan.assessment?.membershipKnown ? 'True' : 'Unknown', reasons.unreachable, words);
    case 'paused':
      return serving(plan, reasons.paused, 'the cluster is paused and does not serve');
    case 'oldOperator':
      return serving(plan, reasons.oldOperatorAlive, words);
    case 'deleting':
      return serving(plan, reasons.deleting, 'the cluster is being deleted');
    case 'scalingUp':
      return hasRun ? serving(plan, reasons.quorumLost, words) : stillGrowing(observation, plan);
    default:
      return serving(plan, reasons.quorumLost, words);
  }
}

/** As etcd answers, which under an alarm refuses to write, whatever else is the matter; `otherwise` is why it cannot be told, or why it does not. */
function serving({ assessment }: Plan, otherwise: string, message: string): ConditionClaim {
  if (!assessment?.hasQuorum) return availability('False', otherwise, message);
  const alarm = describeAlarm(assessment);
  if (alarm) return availability('False', alarm.reason, alarm.message.slice(0, 1024));
  const { healthyVoters, voters, quorum } = assessment;
  if (healthyVoters.length === voters.length) return availability('True', reasons.available, '');
  const words = `${healthyVoters.length} of ${voters.length} voters answer; ${quorum} are needed`;
  return availability('True', reasons.degraded, words);
}

function stillGrowing({ cluster }: Observation, { assessment }: Plan): ConditionClaim {
  const size = 'size' in cluster.desired ? cluster.desired.size : 0;
  const message = `${assessment?.voters.length ?? 0} of ${size} members serve; the others are joining`;
  return availability('False', reasons.bootstrapping, message);
}

function scaling(observation: Observation, plan: Plan): ConditionClaim {
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

function upgrading(observation: Observation, plan: Plan): ConditionClaim {
  const version = 'version' in observation.cluster.desired ? observation.cluster.desired.version : '';
  if (plan.situation !== 'upgrading')
    return { type: types.upgrading, status: 'False', reason: reasons.atVersion, message: '' };
  const held = plan.steps.length === 0 && plan.assessment ? whyUpgradeIsHeld(plan.assessment) : undefined;
  if (held !== undefined)
    return { type: types.upgrading, status: 'False', reason: reasons.upgradeHeld, message: held.slice(0, 1024) };
  return { type: types.upgrading, status: 'True', reason: reasons.upgrading, message: `upgrading to ${version}` };
}

function recovering(plan: Plan): ConditionClaim {
  if (plan.situation === 'quorumLost')
    return { type: types.recovering, status: 'False', reason: reasons.quorumLost, message: '' };
  if (plan.situation !== 'healing')
    return { type: types.recovering, status: 'False', reason: reasons.allHealthy, message: '' };
  const words = [...plan.steps.map((step) => step.reason), ...plan.waits.map((wait) => wait.reason)].join('; ');
  return { type: types.recovering, status: 'True', reason: reasons.replacingMember, message: words.slice(0, 1024) };
}
