// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import type { PlannedStep } from '../step.ts';
import { isSameVersion } from './member-release.ts';

/**
 * A member whose new process answers with the new version no longer needs the previous image (operator rule 6). The operator records this
 * at once, before any other step: once all members run the new version, the cluster version may rise, and the old version could no longer
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
