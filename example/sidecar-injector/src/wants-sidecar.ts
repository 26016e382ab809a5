// SPDX-License-Identifier: Apache-2.0
import type { Namespace, Pod } from '@operator-parts/kube';

/**
 * On a Pod: `"true"` requests the sidecar, `"false"` declines it. On a namespace, as a label: `enabled` requests it for
 * all Pods.
 */
export const mark = 'initializer.kubernetes.io/envoy';

/** The label of the injector's own Pods. */
const ownLabels: Readonly<Record<string, string>> = { app: 'sidecar-injector' };

/** True if this Pod gets the sidecar. `pod` may have no namespace yet; it is created in `namespace`. */
export function wantsSidecar(pod: Pod, namespace: string, namespaceObject: Namespace | undefined): boolean {
  if (namespace === 'kube-system' || isOwn(pod)) return false;
  const wish = pod.metadata?.annotations?.[mark];
  if (wish !== undefined) return wish === 'true';
  return namespaceObject?.metadata?.labels?.[mark] === 'enabled';
}

/** A Pod of the injector must start without a running injector. */
function isOwn(pod: Pod): boolean {
  const labels = pod.metadata?.labels ?? {};
  return Object.entries(ownLabels).every(([name, value]) => labels[name] === value);
}
