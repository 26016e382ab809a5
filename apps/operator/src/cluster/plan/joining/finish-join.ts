// SPDX-License-Identifier: Apache-2.0
import { counted } from '../../../counted.ts';
import type { Assessment } from '../assessment.ts';
import { later, type Proposal, soon, take, waitFor } from '../proposal.ts';
import { releaseForNewMember } from '../rolling/member-release.ts';
import { isLeftover } from '../scaling/leftovers.ts';

/**
 * Creates the pod of a member that was added and never started. If there are several such members, learners among them are removed until
 * one is left, because each would wait for the names of the others (operator rule 9).
 */
export function finishJoin(assessment: Assessment): Proposal | undefined {
  const { own, incarnation, observation, pods, volumes } = assessment;
  const unstarted = own.filter(({ health }) => health.kind === 'unstarted');
  const [first] = unstarted;
  if (!first) return undefined;
  const surplus = unstarted.length > 1 ? unstarted.find(({ member }) => member.isLearner) : undefined;
  if (surplus) {
    return take(
      { do: 'removeMember', memberId: surplus.member.id, name: surplus.name, because: 'dead' },
      `Removing member ${surplus.name}: ${counted(unstarted.length, 'member')} were added but have not started, and each of them would wait for the others.`,
    );
  }
  if (observation.secretProblems.length > 0) return waitFor(`${observation.secretProblems.join('; ')}.`, later);
  const volume = volumes.get(first.name);
  if (volume && volume.memberId !== '' && isLeftover(assessment, volume) && first.member.isLearner) {
    return take(
      { do: 'removeMember', memberId: first.member.id, name: first.name, because: 'dead' },
      `Removing member ${first.name}, which cannot start: pvc/${first.name} holds the data of member ${volume.memberId} and is kept.`,
    );
  }
  if (pods.has(first.name) || (volume && (volume.terminating || isLeftover(assessment, volume)))) {
    return waitFor(
      `Waiting for the old pod and PVC ${first.name} to be deleted before creating pod/${first.name}.`,
      soon,
    );
  }
  return take(
    {
      do: 'createPod',
      name: first.name,
      incarnation,
      memberId: first.member.id,
      boot: 'existing',
      onVolume: false,
      asRoot: false,
      rollbackTo: undefined,
      ...releaseForNewMember(assessment),
    },
    `Creating pod/${first.name}: the member was added to the cluster and has no pod yet.`,
  );
}
