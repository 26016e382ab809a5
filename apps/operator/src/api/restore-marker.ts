// SPDX-License-Identifier: Apache-2.0
import { fieldsOf, parseFields } from './json-fields.ts';
import { annotations } from './names.ts';

/**
 * The mark that an EtcdRestore leaves on the EtcdCluster whose next life it brings. It is written together with the raised
 * incarnation, in one patch. While it is there and the new life has no identity, the etcd-operator touches nothing but the
 * Services; afterwards it runs the new life like all others. It is taken off when the restore has ended, well or not.
 */
export interface RestoreMarker {
  /** The EtcdRestore, in the cluster's namespace. */
  readonly name: string;
  readonly uid: string;
  /** The life before, to which a restore that fails goes back; absent if the restore made the EtcdCluster itself. */
  readonly from?: RestoreOrigin | undefined;
}

export interface RestoreOrigin {
  readonly incarnation: number;
  readonly clusterId: string;
  /** The highest revision that it was last seen at; absent if that is not known. */
  readonly revision?: number | undefined;
  /** The version that it was born with; absent if that is not known. */
  readonly bornVersion?: string | undefined;
}

/** Undefined if there is none. A marker that cannot be read still counts, without an owner: no cluster is bootstrapped next to it. */
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
        ...(textOf(from['bornVersion']) !== '' && { bornVersion: textOf(from['bornVersion']) }),
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
