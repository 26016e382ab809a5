// SPDX-License-Identifier: Apache-2.0
import type { Container, Volume, VolumeMount } from '@operator-parts/kube';
import { containerFields, volumeKinds } from '../../api/cluster-spec/member-extras.ts';
import type { PodPolicy } from '../../api/etcd-cluster.ts';
import { containerSecurity } from './security-context.ts';

type Named = Container & { readonly name: string };

/** What a spec adds to the pod of a member. */
export interface MemberExtras {
  readonly sidecars: readonly Named[];
  readonly initContainers: readonly Named[];
  readonly volumes: readonly Volume[];
  /** Mounts of etcd's own container. */
  readonly mounts: readonly VolumeMount[];
}

/**
 * What a spec adds to the pod of a member. Only known fields and known kinds of volumes are used, whatever a stored object holds. The
 * containers get the security context of the etcd container, which the grants of the administrator limit.
 */
export function memberExtras(pod: PodPolicy): MemberExtras {
  const made = (container: Named): Named => ({ ...known(container), securityContext: containerSecurity(pod, false) });
  return {
    sidecars: (pod.sidecars ?? []).map(made),
    initContainers: (pod.initContainers ?? []).map(made),
    volumes: (pod.volumes ?? []).filter(isOfKnownKind).map((volume) => pick(volume, ['name', ...volumeKinds])),
    mounts: (pod.volumeMounts ?? []).map((mount) => pick(mount, ['name', 'mountPath', 'subPath', 'readOnly'])),
  };
}

function known(container: Named): Named {
  const { ports, ...rest } = pick(container, containerFields);
  const own = ports?.map((port) => pick(port, ['name', 'containerPort', 'protocol']));
  return { ...rest, ...(own && { ports: own }) };
}

function isOfKnownKind(volume: Volume): boolean {
  return volumeKinds.some((kind) => volume[kind] !== undefined);
}

function pick<T extends object, K extends keyof T & string>(value: T, fields: readonly K[]): Pick<T, K> {
  const kept = Object.entries(value).filter(([field]) => fields.some((wanted) => wanted === field));
  return Object.fromEntries(kept) as Pick<T, K>;
}
