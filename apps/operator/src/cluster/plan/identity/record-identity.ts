// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';
import type { Recorded } from './identify.ts';

/**
 * Adds missing records. The operator may have ended after it cleared the first member's bootstrap configuration and before it recorded the
 * identity; the first member's pod still shows the version at bootstrap.
 */
export function repairRecord(
  { needsRepair, clusterId, incarnation }: Recorded,
  pods: readonly MemberPod[],
): PlannedStep[] {
  if (!needsRepair) return [];
  const [bootstrapVersion = ''] = pods
    .filter((pod) => pod.incarnation === incarnation)
    .flatMap((pod) => bootstrapVersionOf(pod) ?? []);
  return [
    {
      step: { do: 'recordIdentity', clusterId, incarnation, bootstrapVersion },
      reason: `Recording cluster ID ${clusterId}, so that no other cluster is bootstrapped for this EtcdCluster.`,
    },
  ];
}

/**
 * The version at bootstrap from the pod of a first member: the recorded one, or the version it runs if its bootstrap configuration was not
 * even cleared.
 */
function bootstrapVersionOf({
  bootstrapVersion,
  boot,
  memberId,
  previousVersion,
  version,
}: MemberPod): string | undefined {
  if (bootstrapVersion) return bootstrapVersion;
  return boot === 'new' && memberId === '' && previousVersion === '' ? version : undefined;
}
