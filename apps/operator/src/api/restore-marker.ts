// SPDX-License-Identifier: Apache-2.0
import { fieldsOf, parseFields } from './json-fields.ts';
import { annotations } from './names.ts';

/**
 * An annotation of the EtcdCluster for which an EtcdRestore creates a new incarnation. The restore operator writes the annotation and the
 * number of the new incarnation in one patch. Until the new incarnation has a cluster ID, the etcd-operator changes only the Services.
 * Afterwards the etcd-operator reconciles the new incarnation as usual. The annotation is removed when the restore has ended, successfully
 * or not.
 */
export interface RestoreMarker {
  /** The EtcdRestore, which is in the cluster's namespace. */
  readonly name: string;
  readonly uid: string;
  /** The previous incarnation, which becomes active again if the restore fails; absent if the restore created the EtcdCluster. */
  readonly from?: RestoreOrigin | undefined;
}

export interface RestoreOrigin {
  readonly incarnation: number;
  readonly clusterId: string;
  /** The highest revision that was seen of the previous incarnation; absent if unknown. */
  readonly revision?: number | undefined;
  /** The version that the previous incarnation was bootstrapped with; absent if unknown. */
  readonly bootstrapVersion?: string | undefined;
}

/**
 * Undefined if the object has no such annotation. An annotation whose value cannot be read still counts, with an empty name and UID: no
 * cluster is bootstrapped while it exists.
 */
export function readRestoreMarker(notes: Readonly<Record<string, string>> | undefined): RestoreMarker | undefined {
  const text = notes?.[annotations.restore];
  if (text === undefined) return undefined;
  const value = parseFields(text);
  const from = fieldsOf(value['from']);
  const incarnation = from['incarnation'];
  const revision = from['revision'];
  return {
    name: textOf(value['name']),
    uid: textOf(value['uid']),
    ...(isCount(incarnation) && {
      from: {
        incarnation,
        clusterId: textOf(from['clusterId']),
        ...(isCount(revision) && { revision }),
        ...(textOf(from['bootstrapVersion']) !== '' && { bootstrapVersion: textOf(from['bootstrapVersion']) }),
      },
    }),
  };
}

export function formatRestoreMarker(marker: RestoreMarker): string {
  return JSON.stringify(marker);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
