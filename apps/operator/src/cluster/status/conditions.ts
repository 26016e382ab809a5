// SPDX-License-Identifier: Apache-2.0
import { conditionReasons as reasons, conditionTypes as types } from '../../api/reasons.ts';
import type { Observation } from '../observation.ts';
import type { Plan } from '../plan/plan.ts';
import { heldBack } from '../plan/replace.ts';
import { isEverythingLost } from '../plan/without-quorum.ts';

/** What a condition says, without its times. */
export interface ConditionClaim {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** All conditions that follow from what was seen and decided. */
export function conditionsOf(observation: Observation, plan: Plan, hasRun: boolean): readonly ConditionClaim[] {
  return [
    available(observation, plan, hasRun),
    scaling(observation, plan),
    upgrading(observation, plan),
    recovering(plan),
    ...notices(observation, plan),
  ];
}

function available(observation: Observation, plan: Plan, hasRun: boolean): ConditionClaim {
  const claim: Claim = (status, reason, message) => ({
    type: types.available,
    status,
    reason,
    message,
  });
  const waits = plan.waits.map((wait) => wait.reason).join('; ');
  const { desired } = observation.cluster;
  if ('problems' in desired) return claim('False', reasons.specInvalid, desired.problems.join('; '));
  switch (plan.situation) {
    case 'identityConflict':
      return claim('False', reasons.identityConflict, waits);
    case 'oldOperator':
      return claim('False', reasons.oldOperatorAlive, waits);
    case 'bootstrapping':
      return claim('False', reasons.bootstrapping, waits || 'the first member is being made');
    case 'quorumLost':
      return claim(
        'False',
        plan.assessment && isEverythingLost(plan.assessment) ? reasons.dataLost : reasons.quorumLost,
        waits,
      );
    default:
      return hasRun || plan.situation !== 'scalingUp'
        ? serving(plan, claim)
        : claim(
            'False',
            reasons.bootstrapping,
            `${plan.assessment?.voters.length ?? 0} of ${desired.size} members serve; the others are joining`,
          );
  }
}

type Claim = (status: 'True' | 'False', reason: string, message: string) => ConditionClaim;

function serving({ assessment }: Plan, claim: Claim): ConditionClaim {
  if (!assessment) return claim('False', reasons.paused, 'the cluster is paused and has not been looked at');
  const { healthyVoters, voters, quorum } = assessment;
  if (healthyVoters.length === voters.length) return claim('True', reasons.available, '');
  return claim(
    'True',
    reasons.degraded,
    `${healthyVoters.length} of ${voters.length} voters answer; ${quorum} are needed`,
  );
}

function scaling(observation: Observation, plan: Plan): ConditionClaim {
  const size = 'size' in observation.cluster.desired ? observation.cluster.desired.size : 0;
  const current = plan.assessment?.members.length ?? 0;
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
  if (plan.steps.length === 0 && isUpgradeHeld(plan)) {
    return {
      type: types.upgrading,
      status: 'False',
      reason: reasons.upgradeHeld,
      message: plan.waits.map((wait) => wait.reason).join('; '),
    };
  }
  return { type: types.upgrading, status: 'True', reason: reasons.upgrading, message: `upgrading to ${version}` };
}

function isUpgradeHeld({ waits }: Plan): boolean {
  return waits.some((wait) => /^version .* (is refused|is held back|did not work)|cannot be used/.test(wait.reason));
}

function recovering(plan: Plan): ConditionClaim {
  if (plan.situation !== 'healing')
    return { type: types.recovering, status: 'False', reason: reasons.allHealthy, message: '' };
  const words = [...plan.steps.map((step) => step.reason), ...plan.waits.map((wait) => wait.reason)];
  return { type: types.recovering, status: 'True', reason: reasons.replacingMember, message: words.join('; ') };
}

/** Things a person should know and may want to act on; absent where there is nothing to say. */
function notices({ volumes }: Observation, { assessment }: Plan): readonly ConditionClaim[] {
  const notes: ConditionClaim[] = [];
  const foreign = volumes.filter((volume) => volume.ownership === 'other').map((volume) => volume.name);
  if (foreign.length > 0) {
    const message = `volume claims ${foreign.join(', ')} carry this cluster's labels but belong to another object; they are neither used nor deleted`;
    notes.push({ type: types.foreignVolumes, status: 'True', reason: reasons.otherOwner, message });
  }
  const outdated = assessment ? heldBack(assessment) : [];
  if (outdated.length > 0) {
    const bytes = outdated.reduce((sum, { answer }) => sum + (answer?.kind === 'status' ? answer.dbSize : 0), 0);
    const message = `${outdated.map((view) => view.name).join(', ')} differ from the spec; set spec.pod.updatePolicy to Replace to replace them one by one, which sends ${bytes} bytes to new members`;
    notes.push({ type: types.podsOutdated, status: 'True', reason: reasons.waitingForReplacement, message });
  }
  const adopted = assessment?.members.filter((view) => view.pod?.adopted) ?? [];
  if (adopted.length > 0) {
    const message = `${adopted.length} pods were made by the original operator; they are kept until a version change or a failure replaces them`;
    notes.push({ type: types.adoptedPods, status: 'True', reason: reasons.madeByOriginal, message });
  }
  return notes;
}
