// SPDX-License-Identifier: Apache-2.0
import type { ContainerPort } from '@etcd-operator/kube';

/**
 * The ports of a container with those of another merged into them: a port is its number and its protocol, so that one number may be
 * there for TCP and for UDP. A strategic merge patch goes by the number alone, and would lose one of the two.
 */
export function joinPorts(own: readonly ContainerPort[], added: readonly ContainerPort[]): readonly ContainerPort[] {
  const merged = own.map((port) => ({ ...port, ...added.find((other) => isSame(port, other)) }));
  return [...merged, ...added.filter((other) => !own.some((port) => isSame(port, other)))];
}

function isSame(one: ContainerPort, other: ContainerPort): boolean {
  return one.containerPort === other.containerPort && (one.protocol ?? 'TCP') === (other.protocol ?? 'TCP');
}
