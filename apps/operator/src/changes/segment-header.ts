// SPDX-License-Identifier: Apache-2.0
import { isFields, isText } from '../api/json-fields.ts';
import { ChangesError } from './changes-error.ts';

/** The predecessor of a change segment (a stored object with recorded changes): a full snapshot, or the previous segment. */
export type SegmentBefore =
  | {
      readonly kind: 'snapshot';
      /** The last part of the snapshot's key in the store. */
      readonly name: string;
      readonly revision: bigint;
      /** SHA-256 of the snapshot before encryption, hexadecimal. */
      readonly sha256: string;
    }
  | {
      readonly kind: 'segment';
      /** `DecodedSegment.history` of the segment that ends at the previous revision. */
      readonly history: string;
    };

/** The description at the beginning of a segment. */
export interface SegmentHeader {
  /** The cluster ID of etcd, hexadecimal. */
  readonly clusterId: string;
  /** The first and the last revision of the segment, which contains all revisions between them. */
  readonly from: bigint;
  readonly to: bigint;
  /** When the first and the last revision of the segment were received, in milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly before: SegmentBefore;
  /**
   * The granted TTL, in seconds, of the leases that keys in this segment are attached to. Leases that an earlier segment of the same stream
   * contains are not repeated. 0 if the lease no longer existed when its TTL was read.
   */
  readonly leases: ReadonlyMap<bigint, number>;
  /**
   * Changes that were made while no process was recording: their times say when they were read, not when they were made. Absent if there
   * are none.
   */
  readonly late?: UnrecordedRevisions | undefined;
}

/**
 * Changes up to a revision were made some time after `since`, in milliseconds since the epoch, and were received only when recording
 * resumed.
 */
export interface UnrecordedRevisions {
  readonly until: bigint;
  readonly since: number;
}

const format = 'etcd-changes/v1';

export function renderHeader(header: SegmentHeader): Uint8Array {
  const { clusterId, from, to, firstAt, lastAt, before, leases, late } = header;
  const written = {
    format,
    clusterId,
    from: String(from),
    to: String(to),
    firstAt,
    lastAt,
    before: before.kind === 'snapshot' ? { ...before, revision: String(before.revision) } : before,
    leases: Object.fromEntries([...leases].map(([id, seconds]) => [BigInt.asUintN(64, id).toString(16), seconds])),
    ...(late && { late: { until: String(late.until), since: late.since } }),
  };
  return Buffer.from(JSON.stringify(written));
}

/** Parses a header and checks every field, because anyone who may write to the store may have written it. */
export function parseHeader(bytes: Uint8Array): SegmentHeader {
  const value = fieldsOf(bytes);
  if (value['format'] !== format) {
    const found = String(value['format']).slice(0, 40);
    throw new ChangesError(
      'UnknownFormat',
      `the change segment of the continuous backup has format ${found}, but this operator reads only format ${format}`,
    );
  }
  const { clusterId, firstAt, lastAt } = value;
  const [from, to, before] = [revisionOf(value['from']), revisionOf(value['to']), beforeOf(value['before'])];
  const [leases, late] = [leasesOf(value['leases']), lateOf(value['late'])];
  const isSound = isText(clusterId, clusterIdForm) && isTime(firstAt) && isTime(lastAt);
  if (!isSound || from === undefined || to === undefined || !before || !leases || !late) throw damagedHeader();
  if (from > to || firstAt > lastAt || (before.kind === 'snapshot' && before.revision + 1n !== from))
    throw new ChangesError(
      'OutOfOrder',
      `the header of the change segment of the continuous backup from revision ${from} to ${to} is inconsistent`,
    );
  return { clusterId, from, to, firstAt, lastAt, before, leases, ...late };
}

/** How a cluster ID is written in the header of a segment and in the names of segments: in hexadecimal, without a prefix. */
export const clusterIdForm = /^[0-9a-f]{1,16}$/;
const digestForm = /^[0-9a-f]{64}$/;

function damagedHeader(cause?: unknown): ChangesError {
  return new ChangesError('Damaged', 'the header of the change segment of the continuous backup is damaged', { cause });
}

function fieldsOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damagedHeader(error);
  }
  if (!isFields(value)) throw damagedHeader();
  return value;
}

function beforeOf(value: unknown): SegmentBefore | undefined {
  if (!isFields(value)) return undefined;
  const { kind, name, sha256, history } = value;
  if (kind === 'segment') return isText(history, digestForm) ? { kind, history } : undefined;
  const revision = revisionOf(value['revision']);
  const isSound = kind === 'snapshot' && isText(name, /^.{1,1024}$/) && isText(sha256, digestForm);
  return isSound && revision !== undefined ? { kind, name, revision, sha256 } : undefined;
}

function leasesOf(value: unknown): ReadonlyMap<bigint, number> | undefined {
  if (!isFields(value)) return undefined;
  const leases = new Map<bigint, number>();
  for (const [id, seconds] of Object.entries(value)) {
    if (!/^[0-9a-f]{1,16}$/.test(id) || !isTime(seconds)) return undefined;
    leases.set(BigInt.asIntN(64, BigInt(`0x${id}`)), seconds);
  }
  return leases;
}

function lateOf(value: unknown): Pick<SegmentHeader, 'late'> | undefined {
  if (value === undefined) return {};
  if (!isFields(value)) return undefined;
  const [until, since] = [revisionOf(value['until']), value['since']];
  return until !== undefined && isTime(since) ? { late: { until, since } } : undefined;
}

function revisionOf(value: unknown): bigint | undefined {
  return isText(value, /^\d{1,19}$/) ? BigInt(value) : undefined;
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
