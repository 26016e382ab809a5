// SPDX-License-Identifier: Apache-2.0
import { clusterIdForm, type SegmentHeader } from './segment-header.ts';

/**
 * A stored change segment (an object with recorded changes), parsed from its key `<base>.changes/<cluster ID>/<from>-<to>_<time of the last
 * change>`.
 */
export interface SegmentName {
  readonly key: string;
  readonly clusterId: string;
  readonly from: bigint;
  readonly to: bigint;
  /** When the last revision of the segment was received, in milliseconds since the epoch. */
  readonly lastAt: number;
}

/**
 * The common prefix of the keys of all segments of a backup. No other objects have it: keys of a series continue with `_v` after the path,
 * and keys of manifests end with `.manifest.json`.
 *
 * @param base the key of the spec's path
 */
export function segmentsPrefix(base: string): string {
  return `${base}.changes/`;
}

/** The largest number of digits of a revision. Revisions are padded to this length, so that names sort like numbers. */
const digits = 19;

/** The key of a segment. Keys sort by cluster and revision. Two operators that record the same revisions do not write to the same key. */
export function segmentKey(
  base: string,
  { clusterId, from, to, lastAt }: Pick<SegmentHeader, 'clusterId' | 'from' | 'to' | 'lastAt'>,
): string {
  const [first, last] = [from, to].map((revision) => revision.toString().padStart(digits, '0'));
  const time = new Date(lastAt).toISOString().replaceAll(/[-:]/g, '');
  return `${segmentsPrefix(base)}${clusterId.padStart(16, '0')}/${first}-${last}_${time}`;
}

/** The base of the path that a segment belongs to; undefined if the key is not that of a segment. */
export function segmentBase(key: string): string | undefined {
  const base = key.slice(0, Math.max(0, key.lastIndexOf(segmentsPrefix(''))));
  return parseSegmentKey(base, key) ? base : undefined;
}

const nameForm = /^([0-9a-f]{16})\/(\d{19})-(\d{19})_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z$/;

/** Parses the key of a segment; undefined if the key is not of a segment of this path. */
export function parseSegmentKey(base: string, key: string): SegmentName | undefined {
  const prefix = segmentsPrefix(base);
  const match = key.startsWith(prefix) ? nameForm.exec(key.slice(prefix.length)) : null;
  if (!match) return undefined;
  const [, id = '', from = '', to = '', year, month, day, hour, minute, second] = match;
  const lastAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const clusterId = id.replace(/^0+(?=.)/, '');
  const name = { key, clusterId, from: BigInt(from), to: BigInt(to), lastAt };
  const isSound = !Number.isNaN(lastAt) && name.from <= name.to && clusterIdForm.test(clusterId);
  // The operator never writes a date that does not exist.
  return isSound && segmentKey(base, name) === key ? name : undefined;
}
