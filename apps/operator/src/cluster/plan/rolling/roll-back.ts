// SPDX-License-Identifier: Apache-2.0
import { compareMinors, parseVersion } from '@operator-parts/etcd';
import type { MemberPod } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';
import { rollbackImage } from './set-image.ts';

/**
 * True if the new image of the pod is not confirmed yet, and the previous version can still read the data, because the cluster version is
 * not newer than the previous version.
 */
export function mayRollBack({ observation }: Pick<Assessment, 'observation'>, pod: MemberPod): boolean {
  if (pod.terminating || pod.adopted || pod.previousVersion === '') return false;
  const [old, spoken] = [parseVersion(pod.previousVersion), parseVersion(observation.etcd.clusterVersion)];
  return !old || !spoken || compareMinors(old, spoken) >= 0;
}

/** Sets the previous image in place. */
export function rollBackImage(pod: MemberPod): Proposal {
  return take(
    rollbackImage(pod),
    `Rolling back member ${pod.name} to ${pod.previousVersion}: it does not run with ${pod.version} (${pod.container.reason || 'not reachable'}).`,
  );
}
