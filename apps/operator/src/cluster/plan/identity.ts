// SPDX-License-Identifier: Apache-2.0
import type { Latch, Observation } from '../observation.ts';

/**
 * Which life of which cluster this is. The latch is written in three places (status, an annotation of the object, every pod
 * and volume); one that is found counts, others are repaired from it, and a contradiction stops all work.
 */
export type Identity =
  /** Nothing has been founded in this incarnation. */
  | { readonly kind: 'unlatched'; readonly incarnation: number }
  | {
      readonly kind: 'latched';
      readonly clusterId: string;
      readonly incarnation: number;
      /** True if the object itself lacks it in one of its two places. */
      readonly needsRepair: boolean;
    }
  | { readonly kind: 'conflict'; readonly detail: string };

/** The first incarnation of a cluster; a restore raises it. */
export const firstIncarnation = 1;

/** Finds the identity from everything that carries it. Operator rule 5. */
export function identify(observation: Observation): Identity {
  const { latchedInStatus, latchedInAnnotation } = observation.cluster;
  const incarnation = highestIncarnation(observation);
  const found = new Map<string, string>();
  const note = (clusterId: string, where: string) => {
    if (clusterId !== '' && !found.has(clusterId)) found.set(clusterId, where);
  };
  for (const [latch, where] of [
    [latchedInStatus, 'status'],
    [latchedInAnnotation, "the object's annotation"],
  ] as const) {
    if (latch?.incarnation === incarnation) note(latch.clusterId, where);
  }
  for (const pod of observation.pods) {
    if (pod.ownership === 'ours' && pod.incarnation === incarnation) note(pod.clusterId, `pod ${pod.name}`);
  }
  for (const volume of observation.volumes) {
    if (volume.ownership === 'ours' && volume.incarnation === incarnation)
      note(volume.clusterId, `volume ${volume.name}`);
  }
  if (found.size > 1) {
    const places = [...found].map(([clusterId, where]) => `${clusterId} in ${where}`);
    return { kind: 'conflict', detail: `different etcd cluster IDs are recorded: ${places.join(', ')}` };
  }
  const [clusterId] = found.keys();
  if (clusterId === undefined) return { kind: 'unlatched', incarnation };
  const isWritten = (latch: Latch | undefined) => latch?.clusterId === clusterId && latch.incarnation === incarnation;
  return {
    kind: 'latched',
    clusterId,
    incarnation,
    needsRepair: !isWritten(latchedInStatus) || !isWritten(latchedInAnnotation),
  };
}

/** Only the object's own two places may raise it: a stray pod with a large number must not start a new life. */
function highestIncarnation({ cluster }: Observation): number {
  return Math.max(
    firstIncarnation,
    cluster.latchedInStatus?.incarnation ?? 0,
    cluster.latchedInAnnotation?.incarnation ?? 0,
  );
}
