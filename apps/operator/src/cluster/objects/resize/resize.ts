// SPDX-License-Identifier: Apache-2.0
import { jsonEqual, type ResourceRequirements } from '@operator-parts/kube';

/** The resources that Kubernetes can change on a running pod. */
const resizable = ['cpu', 'memory'];

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The QoS class of a pod in which all containers have these resources. */
export function qosClassOf({ requests = {}, limits = {} }: ResourceRequirements): QosClass {
  const counts = (key: string) => requests[key] !== undefined || limits[key] !== undefined;
  if (!resizable.some(counts)) return 'BestEffort';
  const isFixed = resizable.every(
    (key) =>
      limits[key] !== undefined && (requests[key] === undefined || String(requests[key]) === String(limits[key])),
  );
  return isFixed ? 'Guaranteed' : 'Burstable';
}

/**
 * True if the `resize` subresource can change the resources of a running pod in this way (operator rule 7): only CPU and memory differ, no
 * entry is removed, and the QoS class stays the same.
 */
export function canResize(from: ResourceRequirements, to: ResourceRequirements): boolean {
  if (qosClassOf(from) !== qosClassOf(to) || !jsonEqual(from.claims ?? [], to.claims ?? [])) return false;
  return (['requests', 'limits'] as const).every((kind) => {
    const [had, wants] = [from[kind] ?? {}, to[kind] ?? {}];
    const keys = [...new Set([...Object.keys(had), ...Object.keys(wants)])];
    return keys.every((key) => String(had[key]) === String(wants[key]) || (resizable.includes(key) && key in wants));
  });
}
