// SPDX-License-Identifier: Apache-2.0
import type { PodDisruptionBudget, Service } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';
import { countsOtherwise, disruptionBudget } from '../objects/disruption-budget.ts';
import { type ClusterIdentity, isOwnedBy } from '../objects/owner.ts';
import type { BudgetFacts, ServiceFacts } from '../observation.ts';

/** How an existing Service compares with the wanted one. */
export function serviceState(found: Service | undefined, wanted: Service, uid: string): ServiceFacts['peer'] {
  if (!found || found.metadata?.deletionTimestamp) return 'missing';
  if (!isOwnedBy(found, uid)) return 'otherOwner';
  return covers(found.spec, wanted.spec) &&
    covers(found.metadata?.labels, wanted.metadata?.labels) &&
    covers(found.metadata?.annotations, wanted.metadata?.annotations) &&
    // Without this, annotations that were removed from the spec would stay on the Service.
    found.metadata?.annotations?.[annotations.fromSpec] === wanted.metadata?.annotations?.[annotations.fromSpec]
    ? 'current'
    : 'drifted';
}

export function budgetFacts(found: PodDisruptionBudget | undefined, cluster: ClusterIdentity): BudgetFacts {
  if (!found || found.metadata?.deletionTimestamp) return { minAvailable: undefined, otherOwner: false };
  const { minAvailable } = found.spec ?? {};
  const otherOwner = !isOwnedBy(found, cluster.uid);
  return {
    minAvailable: typeof minAvailable === 'number' ? minAvailable : undefined,
    otherOwner,
    ...(!otherOwner && countsOtherwise(found, disruptionBudget(cluster, 0)) && { drifted: true }),
  };
}

/** True if all desired fields are present. Fields that the API server and others added are ignored. */
function covers(found: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    // The API server omits empty lists.
    if (wanted.length === 0 && found === undefined) return true;
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((item, index) => covers(found[index], item))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) {
    // The API server omits values that are false or empty.
    return found === wanted || (found === undefined && (wanted === false || wanted === ''));
  }
  const have: Readonly<Record<string, unknown>> = typeof found === 'object' && found !== null ? { ...found } : {};
  return Object.entries(wanted).every(([key, value]) => covers(have[key], value));
}
