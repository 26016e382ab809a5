// SPDX-License-Identifier: Apache-2.0
import type { Pod, Taint, Toleration } from '@operator-parts/kube';
import type { Filter } from './snapshot.ts';

const unschedulable: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A cordoned node accepts only pods that tolerate it. */
export const notCordoned: Filter = (pod, node) =>
  node.spec?.unschedulable && !tolerates(pod, unschedulable) ? 'node(s) were unschedulable' : undefined;

/** Taints that the pod does not tolerate and that prevent scheduling. */
export const tolerated: Filter = (pod, node) => {
  const taint = (node.spec?.taints ?? [])
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find((each) => !tolerates(pod, each));
  return taint ? `node(s) had untolerated taint(s)` : undefined;
};

/** True if one of the pod's tolerations covers the taint. */
function tolerates(pod: Pod, taint: Taint): boolean {
  return (pod.spec?.tolerations ?? []).some((toleration) => covers(toleration, taint));
}

/** An empty key with `Exists` matches every taint, an empty effect every effect. */
export function covers(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '');
}
