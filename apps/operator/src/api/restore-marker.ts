// SPDX-License-Identifier: Apache-2.0
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
  readonly from?: { readonly incarnation: number; readonly clusterId: string } | undefined;
}

/** Undefined if there is none. One that cannot be read still counts, as nobody's: nothing is founded beside it. */
export function readRestoreMarker(notes: Readonly<Record<string, string>> | undefined): RestoreMarker | undefined {
  const text = notes?.[annotations.restore];
  if (text === undefined) return undefined;
  const value = parse(text);
  const from = fields(value['from']);
  const incarnation = Number(from['incarnation']);
  return {
    name: textOf(value['name']),
    uid: textOf(value['uid']),
    ...(Number.isSafeInteger(incarnation) &&
      incarnation > 0 && { from: { incarnation, clusterId: textOf(from['clusterId']) } }),
  };
}

export function formatRestoreMarker(marker: RestoreMarker): string {
  return JSON.stringify(marker);
}

type Fields = Readonly<Record<string, unknown>>;

function parse(text: string): Fields {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
