// SPDX-License-Identifier: Apache-2.0
import type { IdentityRecord, Observation } from '../../observation.ts';

/**
 * The identity of the cluster. It is recorded in three places: in the status, in an annotation of the EtcdCluster, and on every pod and
 * volume. One record is enough, and missing records are repaired from it. If records contradict each other, nothing is changed.
 */
export type Identity =
  /** No cluster was bootstrapped in this incarnation. */
  | {
      readonly kind: 'unrecorded';
      readonly incarnation: number;
      /** True if a previous incarnation is recorded: then a restore creates this incarnation, and it must not be bootstrapped empty. */
      readonly succeeds?: boolean;
    }
  | {
      readonly kind: 'recorded';
      readonly clusterId: string;
      readonly incarnation: number;
      /** True if one of the two records on the object itself is missing. */
      readonly needsRepair: boolean;
    }
  | { readonly kind: 'conflict'; readonly detail: string };

/** The identity of a cluster that has been bootstrapped. */
export type Recorded = Extract<Identity, { kind: 'recorded' }>;

/** The number of the first incarnation of a cluster. Each restore creates an incarnation with a higher number. */
export const firstIncarnation = 1;

/** One record of an identity, and where it is. */
interface Record {
  readonly clusterId: string;
  readonly incarnation: number;
  readonly where: string;
}

/** Finds the identity from all records (operator rule 5). */
export function identify(observation: Observation): Identity {
  const { recordedInStatus, recordedInAnnotation } = observation.cluster;
  const own = recordsOfObject(observation);
  const carried = recordsOfParts(observation);
  // The records on the object itself decide the incarnation. The records of pods and volumes count only if the object has no record.
  const incarnation = highest(own) ?? highest(carried) ?? firstIncarnation;
  const later = carried.find((record) => record.incarnation > incarnation);
  if (later) {
    const detail = `${later.where} records incarnation ${later.incarnation}, but the EtcdCluster records ${incarnation}. Nothing is changed; remove the record that is wrong.`;
    return { kind: 'conflict', detail };
  }
  const present = [...own, ...carried].filter(
    (record) => record.incarnation === incarnation && record.clusterId !== '',
  );
  const [first] = present;
  if (!first) {
    const succeeds = incarnation > firstIncarnation || [...own, ...carried].some((record) => record.clusterId !== '');
    return { kind: 'unrecorded', incarnation, succeeds };
  }
  const { clusterId } = first;
  const other = present.find((record) => record.clusterId !== clusterId);
  if (other) {
    const detail = `Different cluster IDs are recorded: ${clusterId} in ${first.where}, ${other.clusterId} in ${other.where}. Nothing is changed; remove the record that is wrong.`;
    return { kind: 'conflict', detail };
  }
  const isWritten = (record: IdentityRecord | undefined) =>
    record?.clusterId === clusterId && record.incarnation === incarnation;
  const needsRepair = !isWritten(recordedInStatus) || !isWritten(recordedInAnnotation);
  return { kind: 'recorded', clusterId, incarnation, needsRepair };
}

function recordsOfObject({ cluster }: Observation): readonly Record[] {
  const places = [
    [cluster.recordedInStatus, 'status.clusterID'],
    [cluster.recordedInAnnotation, 'the annotation of the EtcdCluster'],
  ] as const;
  return places.flatMap(([record, where]) => (record ? [{ ...record, where }] : []));
}

/** Sorted by name, so that the order of the lists does not matter. */
function recordsOfParts({ pods, volumes }: Observation): readonly Record[] {
  const named = [
    ...pods.map((pod) => ({ ...pod, where: `pod/${pod.name}` })),
    ...volumes.map((volume) => ({ ...volume, where: `pvc/${volume.name}` })),
  ];
  return named
    .filter((item) => item.ownership === 'ours' && item.clusterId !== '')
    .map(({ clusterId, incarnation, where }) => ({ clusterId, incarnation, where }))
    .sort((a, b) => (a.where < b.where ? -1 : 1));
}

function highest(records: readonly Record[]): number | undefined {
  return records.length > 0 ? Math.max(firstIncarnation, ...records.map((record) => record.incarnation)) : undefined;
}
