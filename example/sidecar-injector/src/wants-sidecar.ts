// SPDX-License-Identifier: Apache-2.0
import type { Namespace, Pod } from '@etcd-operator/kube';

/** On a Pod: `"true"` asks for the sidecar, `"false"` declines it. On a namespace, as a label: `enabled` asks for all of its Pods. */
export const mark = 'initializer.kubernetes.io/envoy';

/** The label of the injector's own Pods. */
const ownLabels: Readonly<Record<string, string>> = { app: 'sidecar-injector' };

/** Is this Pod to get the sidecar? `pod` may have no namespace of its own yet; it is created in `namespace`. */
export function wantsSidecar(pod: Pod, namespace: string, namespaceObject: Namespace | undefined): boolean {
  if (namespace === 'kube-system' || isOwn(pod)) return false;
  const wish = pod.metadata?.annotations?.[mark];
  if (wish !== undefined) return wish === 'true';
  return namespaceObject?.metadata?.labels?.[mark] === 'enabled';
}

/** A Pod of the injector must start while no injector runs. */
function isOwn(pod: Pod): boolean {
  const labels = pod.metadata?.labels ?? {};
  return Object.entries(ownLabels).every(([name, value]) => labels[name] === value);
}
