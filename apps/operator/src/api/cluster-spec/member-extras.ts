// SPDX-License-Identifier: Apache-2.0
import { cel, type EmbeddableTypes, list, type NodeOptions, type Schema } from '@operator-parts/crd';
import { bounded, builtIn, most } from '../bounds.ts';

/** Names of the operator's own containers and volumes in a member's pod. User containers and volumes must not use them. */
export const reservedContainers = ['etcd', 'check-dns', 'fetch-backup', 'restore-datadir', 'read-survivor'] as const;
export const reservedVolumes = [
  'etcd-data',
  'member-peer-tls',
  'member-server-tls',
  'restore-snapshot',
  'restore-key',
  'survivor-copy',
] as const;
/** Every port that a member's pod may listen on. A test compares this list with `memberPorts`. */
export const reservedPorts = [2379, 2380, 2381, 2389, 19_999] as const;
export const reservedPortNames = ['server', 'client', 'metrics', 'restore'] as const;

/** Fields that a user may set for a container. All containers share the security context of the pod, and have no probes and no hooks. */
export const containerFields = [
  'name',
  'image',
  'imagePullPolicy',
  'command',
  'args',
  'workingDir',
  'env',
  'envFrom',
  'ports',
  'resources',
  'volumeMounts',
] as const;

/** Kinds of volumes that give access neither to anything outside the namespace of the pod nor to the data of another member. */
export const volumeKinds = ['configMap', 'downwardAPI', 'emptyDir', 'projected', 'secret'] as const;

type Core = EmbeddableTypes['core/v1'];

/** A built-in type reduced to some of its fields. The API server prunes all other fields. */
function picked<N extends keyof Core, K extends keyof Core[N] & string>(
  name: N,
  fields: readonly K[],
): Schema<Pick<Core[N], K>, 'required'> {
  const { structural } = builtIn(name, { longest: { value: most.value } });
  const isPicked = (field: string) => fields.some((wanted) => wanted === field);
  const properties = Object.entries(structural.properties ?? {}).filter(([field]) => isPicked(field));
  return {
    structural: {
      ...structural,
      properties: Object.fromEntries(properties),
      ...(structural.required && { required: structural.required.filter(isPicked) }),
    },
    presence: 'required',
  };
}

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

/** User containers that run beside etcd (sidecars) or before it (init containers). */
export const extraContainers = (options: NodeOptions) =>
  list(picked('Container', containerFields), {
    ...options,
    maxItems: 16,
    rules: [
      cel(
        `self.all(container, !(container.name in [${quoted(reservedContainers)}]))`,
        `a container cannot have one of the reserved names ${reservedContainers.join(', ')}`,
      ),
      cel(
        `self.all(container, !has(container.ports) || container.ports.all(port, !(port.containerPort in [${reservedPorts.join(', ')}]) && !has(port.hostPort) && !has(port.hostIP)))`,
        `containerPort cannot be one of ${reservedPorts.join(', ')}, which etcd uses; hostPort and hostIP cannot be set`,
      ),
    ],
  });

/** User volumes for these containers. */
export const extraVolumes = (options: NodeOptions) =>
  list(picked('Volume', ['name', ...volumeKinds]), {
    ...options,
    maxItems: 32,
    rules: [
      cel(
        `self.all(volume, !(volume.name in [${quoted(reservedVolumes)}]))`,
        `a volume cannot have one of the reserved names ${reservedVolumes.join(', ')}`,
      ),
      cel(
        `self.all(volume, [${volumeKinds.map((kind) => `has(volume.${kind})`).join(', ')}].exists_one(given, given))`,
        `each volume must have exactly one of ${volumeKinds.join(', ')}`,
      ),
    ],
  });

/** Mounts of user volumes in etcd's own container. */
export const extraMounts = (options: NodeOptions) =>
  bounded(
    list(picked('VolumeMount', ['name', 'mountPath', 'subPath', 'readOnly']), {
      ...options,
      maxItems: 32,
      rules: [
        cel(
          "self.all(mount, mount.mountPath.startsWith('/') && !mount.mountPath.endsWith('/') && !['/var/etcd', '/etc/etcdtls', '/usr/local/bin'].exists(own, (mount.mountPath + '/').startsWith(own + '/') || (own + '/').startsWith(mount.mountPath + '/')))",
          'mountPath must be an absolute path without a slash at its end; /var/etcd, /etc/etcdtls, /usr/local/bin, their subfolders and their parent folders are reserved',
        ),
      ],
    }),
  );
