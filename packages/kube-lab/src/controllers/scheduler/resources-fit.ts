// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { quantityNumber } from '../../schema/quantity-text.ts';
import { type Filter, podsOn } from './snapshot.ts';

/**
 * The requests of all pods on a node must fit its allocatable resources, and the number of pods must not exceed its
 * limit.
 */
export const resourcesFit: Filter = (pod, node, snapshot) => {
  const present = podsOn(snapshot, node);
  const offered = node.status?.allocatable ?? {};
  if (offered['pods'] !== undefined && present.length + 1 > quantityNumber(offered['pods'])) return 'Too many pods';
  for (const [name, wanted] of Object.entries(podRequests(pod))) {
    const available = quantityNumber(offered[name] ?? '0');
    const used = present.reduce((sum, other) => sum + (podRequests(other)[name] ?? 0), 0);
    if (wanted > 0 && used + wanted > available) return `Insufficient ${name}`;
  }
  return undefined;
};

/** The requests of a pod: the sum of its containers, or its largest init container if that is more. */
function podRequests(pod: Pod): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const container of pod.spec?.containers ?? []) {
    for (const [name, amount] of Object.entries(container.resources?.requests ?? {})) {
      total[name] = (total[name] ?? 0) + quantityNumber(amount);
    }
  }
  for (const container of pod.spec?.initContainers ?? []) {
    for (const [name, amount] of Object.entries(container.resources?.requests ?? {})) {
      total[name] = Math.max(total[name] ?? 0, quantityNumber(amount));
    }
  }
  return total;
}
