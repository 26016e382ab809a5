// SPDX-License-Identifier: Apache-2.0
import type { ContainerPort } from '@operator-parts/kube';

/**
 * Merges the ports of two containers. A port is identified by number and protocol, so that a number can exist for TCP
 * and UDP. A strategic merge patch uses only the number, and would lose one of the two.
 */
export function joinPorts(own: readonly ContainerPort[], added: readonly ContainerPort[]): readonly ContainerPort[] {
  const merged = own.map((port) => ({ ...port, ...added.find((other) => isSame(port, other)) }));
  return [...merged, ...added.filter((other) => !own.some((port) => isSame(port, other)))];
}

function isSame(one: ContainerPort, other: ContainerPort): boolean {
  return one.containerPort === other.containerPort && (one.protocol ?? 'TCP') === (other.protocol ?? 'TCP');
}
