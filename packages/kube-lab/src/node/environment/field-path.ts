// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { Addresses } from '../../network/addresses.ts';

/** Facts about a pod that only its node knows when a container starts. */
export interface PodRuntimeFacts {
  readonly nodeName: string;
  readonly hostIps: Addresses;
  readonly podIps: Addresses;
}

/**
 * A field of the pod for the downward API. Undefined if Kubernetes does not allow the path. An absent label or
 * annotation is an empty text.
 */
export function fieldValue(pod: Pod, where: PodRuntimeFacts, path: string): string | undefined {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript) {
    const [, map, key] = subscript;
    return pod.metadata?.[map as 'labels' | 'annotations']?.[key ?? ''] ?? '';
  }
  switch (path) {
    case 'metadata.name':
      return pod.metadata?.name ?? '';
    case 'metadata.namespace':
      return pod.metadata?.namespace ?? '';
    case 'metadata.uid':
      return pod.metadata?.uid ?? '';
    case 'metadata.labels':
      return lines(pod.metadata?.labels ?? {});
    case 'metadata.annotations':
      return lines(pod.metadata?.annotations ?? {});
    case 'spec.nodeName':
      return where.nodeName;
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return where.hostIps[0];
    case 'status.hostIPs':
      return where.hostIps.join(',');
    case 'status.podIP':
      return where.podIps[0];
    case 'status.podIPs':
      return where.podIps.join(',');
    default:
      return undefined;
  }
}

/** One line `key="value"` for each entry, sorted by key. Values are quoted as in Go. */
function lines(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
