// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from './assessment.ts';
import { type Proposal, take, takeAll } from './proposal.ts';
import { moveLeadershipFrom } from './shrink.ts';

/**
 * Spec changes other than size and version, by class (operator rule 7): in place where Kubernetes allows it; a new pod on the
 * same volume where there is one; without a volume only when asked for, as a surge that adds before it removes.
 *
 * Assumes that all members are healthy voters of the right version.
 */
export function applyDrift(assessment: Assessment): Proposal | undefined {
  return inPlace(assessment) ?? recreateOnVolume(assessment);
}

function inPlace({ members }: Assessment): Proposal | undefined {
  return takeAll(
    members.flatMap(({ pod, name }) => {
      const fields = pod?.drift.filter((item) => item.remedy === 'inPlace').map((item) => item.field) ?? [];
      if (!pod || pod.terminating || fields.length === 0) return [];
      return [
        {
          step: { do: 'updatePod', name, uid: pod.uid, fields },
          reason: `${name} follows the spec: ${fields.join(', ')}`,
        },
      ];
    }),
  );
}

function recreateOnVolume(assessment: Assessment): Proposal | undefined {
  const outdated = assessment.voters.filter((view) => view.pod?.data === 'claim' && needsNewPod(view));
  const view = outdated.find((candidate) => candidate !== assessment.leader) ?? outdated[0];
  if (!view?.pod) return undefined;
  const fields = view.pod.drift.map((item) => item.field).join(', ');
  return (
    (assessment.voters.length > 1 ? moveLeadershipFrom(assessment, view, 'gets a new pod') : undefined) ??
    take(
      { do: 'deletePod', name: view.name, uid: view.pod.uid, force: false },
      `${view.name} gets a new pod on its volume to follow the spec (${fields}), ${outdated.length - 1} to follow`,
    )
  );
}

/** Members that can follow the spec only by being replaced with an empty one that resyncs everything. */
export function needSurge({ voters, desired }: Assessment): readonly MemberView[] {
  return voters.filter((view) => {
    if (!view.pod || view.pod.data === 'claim') return false;
    // A pod of the original operator cannot take a new image in place (operator rule 8): a version change replaces it.
    if (view.pod.adopted && view.pod.image !== desired.image) return true;
    return desired.updatePolicy === 'Replace' && needsNewPod(view);
  });
}

/** Members that differ from the spec and stay as they are until they are replaced for another reason. */
export function heldBack({ voters, desired }: Assessment): readonly MemberView[] {
  if (desired.updatePolicy === 'Replace') return [];
  return voters.filter((view) => view.pod && view.pod.data !== 'claim' && needsNewPod(view));
}

function needsNewPod({ pod }: MemberView): boolean {
  return pod?.drift.some((item) => item.remedy !== 'inPlace') ?? false;
}
