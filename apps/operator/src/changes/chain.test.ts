// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chain, type ChainGoal, chainFrom } from './chain.ts';
import { type SegmentName, segmentKey } from './segment-names.ts';

const clusterId = 'abc';
const start = { clusterId, revision: 10n };

function segment(from: number, to: number, lastAt = to * 1_000, id = clusterId): SegmentName {
  const name = { clusterId: id, from: BigInt(from), to: BigInt(to), lastAt };
  return { key: segmentKey('b', name), ...name };
}

function chosen(segments: readonly SegmentName[], goal: ChainGoal): readonly string[] | string {
  const chain: Chain = chainFrom(start, segments, goal);
  return chain.kind === 'gap' ? chain.why : chain.segments.map(({ from, to }) => `${from}-${to}`);
}

const to = (revision: number) => ({ revision: BigInt(revision) });
const until = (revision: number) => ({ time: revision * 1_000 });
const row = [segment(3, 8), segment(9, 14), segment(15, 20), segment(21, 21), segment(22, 30)];

describe('the segments from a snapshot to a revision', () => {
  test.each([
    [10, []],
    [11, ['9-14']],
    [14, ['9-14']],
    [15, ['9-14', '15-20']],
    [21, ['9-14', '15-20', '21-21']],
  ])('%i', (revision, expected) => {
    expect(chosen(row, to(revision))).toEqual(expected);
    expect(chosen(row.toReversed(), to(revision))).toEqual(expected);
  });

  test('are those of the same cluster', () => {
    expect(chosen([segment(11, 12), segment(13, 20, 1, 'other')], to(13))).toContain('up to revision 12');
    expect(chosen([segment(11, 12, 1, 'other'), ...row], to(12))).toEqual(['9-14']);
  });

  test('are none if a change is missing, and the gap is named', () => {
    expect(chosen([segment(11, 14), segment(16, 20)], to(17))).toBe(
      'the changes between revisions 14 and 16 are missing, so revision 17 cannot be reached from the full backup of revision 10. Choose a full backup of revision 15 or later, or an earlier revision or time.',
    );
    expect(chosen([segment(12, 14)], to(12))).toContain('the changes between revisions 10 and 12 are missing');
    expect(chosen([segment(11, 14)], to(16))).toBe(
      'after the full backup of revision 10, the continuous backup has recorded changes only up to revision 14, not up to revision 16.',
    );
    expect(chosen([], to(11))).toContain('up to revision 10');
    expect(chosen(row, to(9))).toContain('Choose an older full backup');
  });

  test('follow each other exactly where two operators recorded the same revisions', () => {
    const doubled = [segment(11, 14), segment(11, 17), segment(15, 20), segment(21, 25), segment(18, 18)];
    expect(chosen(doubled, to(25))).toEqual(['11-14', '15-20', '21-25']);
    expect(chosen([segment(11, 12), segment(11, 12, 99), segment(13, 13)], to(13))).toEqual(['11-12', '13-13']);
  });
});

describe('the segments from a snapshot to a time', () => {
  test('end with the first one that has a change after it', () => {
    expect(chosen(row, until(16))).toEqual(['9-14', '15-20']);
    expect(chosen(row, until(20))).toEqual(['9-14', '15-20', '21-21']);
    expect(chosen(row, until(1))).toEqual(['9-14']);
  });

  test('are all that is recorded if nothing was recorded after it, and it is said until when that is', () => {
    expect(chosen(row, until(99))).toHaveLength(4);
    expect(chainFrom(start, row, until(99))).toMatchObject({ recordedUntil: { revision: 30n, at: 30_000 } });
    expect(chainFrom(start, [], until(99))).toEqual({ kind: 'chain', segments: [], recordedUntil: undefined });
  });

  test('are none if changes are missing before it', () => {
    expect(chosen([segment(11, 14), segment(16, 20)], until(13))).toEqual(['11-14']);
    expect(chosen([segment(11, 14), segment(16, 20)], until(18))).toContain(
      'the changes between revisions 14 and 16 are missing',
    );
  });

  test('are those that were recorded first, where an operator recorded the same revisions again later', () => {
    const again = [segment(11, 30, 90_000), segment(31, 35, 91_000)];
    expect(chosen([segment(11, 14), segment(15, 20), ...again], until(16))).toEqual(['11-14', '15-20']);
    expect(chosen([segment(11, 14), segment(15, 30, 90_000), segment(15, 20), segment(31, 31)], until(18))).toEqual([
      '11-14',
      '15-20',
    ]);
    expect(chosen([segment(11, 14, 90_000), segment(11, 12), segment(13, 14), segment(15, 20)], until(17))).toEqual([
      '11-12',
      '13-14',
      '15-20',
    ]);
    // The operator that took over had not seen the last segment of the previous one.
    expect(chosen([segment(11, 15), segment(11, 14, 30_000), segment(15, 20, 40_000)], until(18))).toEqual([
      '11-15',
      '15-20',
    ]);
  });
});

test('every chain covers each revision once, whatever was recorded and by however many', () => {
  const spans = fc.array(fc.record({ from: fc.integer({ min: 1, max: 60 }), length: fc.nat(8) }), { maxLength: 60 });
  fc.assert(
    fc.property(spans, fc.integer({ min: 11, max: 60 }), (listed, wanted) => {
      const segments = listed.map(({ from, length }) => segment(from, from + length));
      const chain = chainFrom(start, segments, to(wanted));
      if (chain.kind === 'gap') return;
      const [first] = chain.segments;
      expect(first && first.from <= 11n && first.to >= 11n).toBe(true);
      const ends = chain.segments.slice(0, -1).map(({ to: end }) => end + 1n);
      expect(chain.segments.slice(1).map(({ from }) => from)).toEqual(ends);
      expect((chain.segments.at(-1)?.to ?? 0n) >= BigInt(wanted)).toBe(true);
    }),
  );
});
