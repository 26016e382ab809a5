// SPDX-License-Identifier: Apache-2.0

import {
  reservedContainers,
  reservedPortNames,
  reservedPorts,
  reservedVolumes,
  volumeKinds,
} from '../api/cluster-spec/member-extras.ts';
import type { PodPolicy } from '../api/etcd-cluster.ts';

/** Paths in etcd's container that users may not mount over. */
const ownPaths = ['/var/etcd', '/etc/etcdtls', '/usr/local/bin'];

/**
 * Sentences that say why containers, volumes and mounts that a spec adds to the pods of members cannot be used. The schema rejects most of
 * these problems; objects that were stored before are checked here.
 */
export function extrasProblems({ sidecars = [], initContainers = [], volumes = [], volumeMounts = [] }: PodPolicy) {
  const containers = [...sidecars, ...initContainers];
  const mounts = [...volumeMounts, ...containers.flatMap((container) => container.volumeMounts ?? [])];
  const ports = containers.flatMap((container) => container.ports ?? []);
  const given = volumes.map(({ name }) => name);
  return [
    ...taken(
      'containers',
      containers.map(({ name }) => name),
      reservedContainers,
    ),
    ...taken('volumes', given, reservedVolumes),
    ...containers.flatMap(({ name, image }) => (image ? [] : [`spec.pod has container ${name} without an image`])),
    ...ports.flatMap(({ containerPort, name = '' }) =>
      isIn(reservedPorts, containerPort) || isIn(reservedPortNames, name)
        ? [`spec.pod has a container with port ${name} ${containerPort}, which is reserved for the operator`]
        : [],
    ),
    ...volumes.flatMap((volume) =>
      volumeKinds.filter((kind) => volume[kind] !== undefined).length === 1
        ? []
        : [`spec.pod.volumes has ${volume.name}, which must be one of ${volumeKinds.join(', ')}`],
    ),
    ...mounts.flatMap(({ name }) =>
      given.includes(name) ? [] : [`spec.pod mounts volume ${name}, which is not in spec.pod.volumes`],
    ),
    ...volumeMounts.flatMap(({ mountPath }) =>
      isOwnPath(mountPath) ? [`spec.pod.volumeMounts has ${mountPath}, which is reserved for the operator`] : [],
    ),
  ];
}

function taken(what: string, names: readonly string[], reserved: readonly string[]): readonly string[] {
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...[...new Set(twice)].map((name) => `spec.pod has two ${what} called ${name}`),
    ...names
      .filter((name) => reserved.includes(name))
      .map((name) => `spec.pod uses ${name} for ${what}, which is reserved for the operator`),
  ];
}

function isIn<T>(values: readonly T[], value: T): boolean {
  return values.includes(value);
}

function isOwnPath(path: string): boolean {
  const folder = (text: string) => (text.endsWith('/') ? text : `${text}/`);
  return (
    !path.startsWith('/') ||
    path.split('/').includes('..') ||
    ownPaths.some((own) => folder(path).startsWith(folder(own)) || folder(own).startsWith(folder(path)))
  );
}
