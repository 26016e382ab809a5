// SPDX-License-Identifier: Apache-2.0
import { isCutOff, type Observation, planCluster } from '@etcd-operator/operator';

/** A member with a pod that did not answer the plugin. */
export interface UnreachedMember {
  readonly name: string;
  readonly why: string;
}

/**
 * The plugin asks through the API server: a member that did not answer it may serve clients all the same, and its data
 * is not gone before its pod and its volume are.
 */
export function unreachedMembers({ etcd }: Observation): readonly UnreachedMember[] {
  return [...etcd.answers].flatMap(([name, answer]) => {
    if (answer.kind === 'status') return [];
    return [{ name, why: answer.kind === 'unreachable' ? answer.why : 'its client port is not open yet' }];
  });
}

/** True if too few members answered the plugin, but a quorum of pods is Ready, which pods are only while etcd has a quorum. */
export function servesUnreached(observation: Observation): boolean {
  if (observation.etcd.membership.kind === 'known') return false;
  // The time decides what to do next, and this asks only what is the case.
  const { assessment } = planCluster(observation, 0);
  return assessment !== undefined && isCutOff(assessment);
}

/** `a (timed out), b (its pod has no IP address)` */
export function describeUnreached(members: readonly UnreachedMember[]): string {
  return members.map(({ name, why }) => `${name} (${why})`).join(', ');
}
