// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { PlannedStep } from '../step.ts';
import type { Recorded } from './identify.ts';

/** Adds missing records, because the operator may have ended before it wrote them. The first member's pod still has the bootstrap version. */
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
 * The bootstrap version of a first member: the version that its pod records, or the version of the pod if its bootstrap configuration is
 * not cleared yet.
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
