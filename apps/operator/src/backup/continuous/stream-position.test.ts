// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { SegmentName } from '../../changes/segment-names.ts';
import { positionIn } from './stream-position.ts';

const segment = (from: number, to: number, lastAt = to * 1_000): SegmentName => ({
  key: `${from}`,
  clusterId: 'abc',
  from: BigInt(from),
  to: BigInt(to),
  lastAt,
});

function at(
  segments: readonly SegmentName[],
  snapshotRevision: number | undefined,
  given: { current?: number; minimum?: number; time?: number } = {},
) {
  const { current = 100, minimum = 0, time = 0 } = given;
  const snapshot =
    snapshotRevision === undefined ? undefined : { key: 's', revision: BigInt(snapshotRevision), sha256: '', time };
  const found = positionIn({ segments, snapshot, current: BigInt(current) }, BigInt(minimum));
  if (found.after === 'segment') return `segment ${found.segment.to}`;
  if (found.after === 'nothing') return found.why;
  return `snapshot ${found.snapshot.revision}${found.missing ? `, missing ${found.missing.after} to ${found.missing.until}` : ''}`;
}

describe('recording goes on', () => {
  test('after the last segment, also if a full backup was made since', () => {
    expect(at([segment(11, 20), segment(21, 30)], 10)).toBe('segment 30');
    expect(at([segment(21, 30), segment(11, 20)], 50)).toBe('segment 30');
    expect(at([segment(11, 20)], 20)).toBe('segment 20');
  });

  test('from nothing that is stored if segments after the newest backup were deleted', () => {
    expect(at([segment(11, 20), segment(26, 30)], 10)).toContain(
      'changes between revisions 10 and 30, which the continuous backup recorded, are missing',
    );
    expect(at([segment(11, 20), segment(26, 30)], 28)).toBe('segment 30');
    expect(at([segment(11, 20), segment(26, 30)], 40)).toBe('segment 30');
  });

  test('after the newest backup if nothing is recorded', () => {
    expect(at([], 10)).toBe('snapshot 10');
  });

  test('after the newest backup if the changes after the last segment are gone, which leaves a gap', () => {
    expect(at([segment(11, 20)], 50, { minimum: 21 })).toBe('snapshot 50, missing 20 to 50');
  });

  test('from nothing that is stored if the changes after the newest backup are gone, too', () => {
    expect(at([segment(11, 20)], 10, { minimum: 21 })).toContain('can no longer be read from etcd');
    expect(at([segment(11, 20)], 50, { minimum: 51 })).toContain('can no longer be read from etcd');
    expect(at([], 10, { minimum: 11 })).toContain('can no longer be read from etcd');
  });

  test('from nothing if there is no backup of the cluster', () => {
    expect(at([segment(11, 20)], undefined)).toContain('no full backup');
  });

  test('of a cluster that has lost writes only after a backup that is newer than what was recorded', () => {
    expect(at([segment(11, 20)], 10, { current: 15, time: 20_000 })).toContain('recorded up to revision 20');
    expect(at([segment(11, 20)], 15, { current: 15, time: 20_001 })).toBe('snapshot 15');
  });

  test('of such a cluster never after what it has lost, also when its revision has passed that', () => {
    const lost = [segment(11, 15), segment(16, 20)];
    const since = [segment(15, 18, 300_000)];
    expect(at([...lost, ...since], 14, { current: 25, time: 200_000 })).toBe('segment 18');
    expect(at(lost, 14, { current: 25, time: 200_000 })).toBe('snapshot 14');
  });
});
