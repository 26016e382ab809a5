// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';
import type { Recorded } from './identify.ts';

/** An operator may have ended between disarming the founder and latching: the founder's pod still knows the birth. */
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

/** Of a founder: what is noted on it, or what it runs if it has not even been disarmed. */
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
