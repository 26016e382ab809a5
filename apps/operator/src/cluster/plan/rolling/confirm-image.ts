// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import type { PlannedStep } from '../step.ts';
import { isSameVersion } from './member-release.ts';

/**
 * A member whose new process answers with its new version needs no way back any more (operator rule 6). Written down at once,
 * whatever else is going on: once all members run it, the cluster may speak the new version, and the old one could no longer
 * read the data.
 */
export function confirmImages({ pods, observation }: Assessment): PlannedStep[] {
  return [...pods.values()]
    .filter(({ name, version, previousVersion, previousContainer, container, terminating }) => {
      const answer = observation.etcd.answers.get(name);
      const isNewProcess = previousVersion !== '' && !terminating && container.id !== previousContainer;
      return isNewProcess && answer?.kind === 'status' && isSameVersion(answer.version, version);
    })
    .map(({ name, uid, data, version, previousVersion: from }) => ({
      step: { do: 'confirmImage', pod: name, uid, onVolume: data === 'claim', from, version },
      reason: `Confirming version ${version} of member ${name}: the member is reachable and runs this version.`,
    }));
}
