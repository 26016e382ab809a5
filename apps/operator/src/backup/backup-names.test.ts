// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BackupName, parsePeriodicKey, periodicKey, surplus } from './backup-names.ts';

const at = (text: string) => Date.parse(text);
const names = (base: string, ...made: readonly (readonly [bigint, string])[]): readonly BackupName[] =>
  made.map(([revision, time]) => ({ key: periodicKey(base, revision, at(time)), revision, time: at(time) }));
const gone = (all: readonly BackupName[], keep: number, made?: string) =>
  surplus(all, keep, made).map(({ key }) => key);

const anyTime = fc.integer({ min: 0, max: at('9999-01-01T00:00:00Z') / 1000 }).map((seconds) => seconds * 1000);
const anyRevision = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const anyBase = fc.string({ minLength: 1, maxLength: 40 });

describe('[79] names of periodic backups', () => {
  test('are the original ones, to the letter', () => {
    expect(periodicKey('etcd.backup', 12n, at('2019-12-15T15:57:59.999Z'))).toBe('etcd.backup_v12_2019-12-15-15:57:59');
  });

  test('a percent sign in the path is only a percent sign', () => {
    expect(periodicKey('a%d%s', 1n, 0)).toBe('a%d%s_v1_1970-01-01-00:00:00');
  });

  test('are read as they were written', () => {
    fc.assert(
      fc.property(anyBase, anyRevision, anyTime, (base, revision, time) => {
        const key = periodicKey(base, revision, time);
        expect(parsePeriodicKey(base, key)).toEqual({ key, revision, time });
      }),
    );
  });

  test.each([
    'etcd.backup',
    'etcd.backup2_v1_2019-12-15-15:57:59',
    'etcd.backup_v1_2019-12-15-15:57:59.manifest.json',
    'etcd.backup_v1_2019-12-15-15:57:59/other',
    'etcd.backup_v1_2019-12-15-15:57:5',
    'etcd.backup_v1_2019-13-15-15:57:59',
    'etcd.backup_v1_2019-02-30-15:57:59',
    'etcd.backup_v01_2019-12-15-15:57:59',
    'etcd.backup_v_2019-12-15-15:57:59',
    'etcd.backup_v-1_2019-12-15-15:57:59',
    'etcd.backup_vault',
    'other/etcd.backup_v1_2019-12-15-15:57:59',
  ])('[80] %s is not ours', (key) => {
    expect(parsePeriodicKey('etcd.backup', key)).toBeUndefined();
  });

  test('[80] whatever is read as ours is written the same', () => {
    fc.assert(
      fc.property(anyBase, fc.string(), (base, rest) => {
        const name = parsePeriodicKey(base, base + rest);
        expect(name === undefined || periodicKey(base, name.revision, name.time) === name.key).toBe(true);
      }),
    );
  });
});

describe('[80] D18: which backups go', () => {
  test.each([
    [9n, 10n],
    [99n, 100n],
    [999n, 1000n],
  ])('the newest stays when the revision grows from %s to %s', (before, after) => {
    const [old, fresh] = names('b', [before, '2026-01-01T00:00:00Z'], [after, '2026-01-01T00:01:00Z']);
    expect(
      gone(
        [old, fresh].filter((name) => name !== undefined),
        1,
      ),
    ).toEqual([old?.key]);
  });

  test('a restored cluster starts at a lower revision, and time decides', () => {
    const all = names('b', [5000n, '2026-01-01T00:00:00Z'], [3n, '2026-01-02T00:00:00Z']);
    expect(gone(all, 1)).toEqual([all[0]?.key]);
  });

  test('what was just made stays, also where the clock went back, and so does what bears a later time', () => {
    const all = names('b', [7n, '2026-05-01T00:00:00Z'], [8n, '2026-04-01T00:00:00Z'], [6n, '2026-03-01T00:00:00Z']);
    expect(gone(all, 1, all[1]?.key)).toEqual([all[2]?.key]);
  });

  test('backups of a time when the clock was a year ahead take the place of no other', () => {
    const ahead = names('b', [4n, '2027-01-01T00:00:00Z'], [5n, '2027-01-01T01:00:00Z']);
    const right = names('b', [6n, '2026-01-01T02:00:00Z'], [7n, '2026-01-01T03:00:00Z'], [8n, '2026-01-01T04:00:00Z']);
    expect(gone([...ahead, ...right], 2, right[2]?.key)).toEqual([right[0]?.key]);
  });

  test('a clock that is decades behind lets no backup go that was made by a right one', () => {
    const right = names('b', [6n, '2026-01-01T02:00:00Z'], [7n, '2026-01-01T03:00:00Z']);
    const behind = names('b', [8n, '1970-01-01T00:01:00Z'], [9n, '1970-01-01T01:01:00Z']);
    expect(gone([...right, ...behind], 1, behind[1]?.key)).toEqual([behind[0]?.key]);
  });

  test('0 keeps all', () => {
    expect(gone(names('b', [1n, '2026-01-01T00:00:00Z'], [2n, '2026-01-01T00:00:01Z']), 0)).toEqual([]);
  });

  test('whatever there is, as many stay as should, and none that stays is older than one that goes', () => {
    const some = fc.uniqueArray(
      fc
        .tuple(anyRevision, anyTime)
        .map(([revision, time]) => ({ key: periodicKey('b', revision, time), revision, time })),
      { selector: ({ key }) => key, maxLength: 30 },
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 20 }), (all, keep) => {
        const going = new Set(gone(all, keep));
        const staying = all.filter(({ key }) => !going.has(key));
        expect(staying.length).toBe(Math.min(keep, all.length));
        const oldestStaying = Math.min(...staying.map(({ time }) => time));
        const newestGoing = Math.max(0, ...all.filter(({ key }) => going.has(key)).map(({ time }) => time));
        expect(newestGoing).toBeLessThanOrEqual(Math.max(0, oldestStaying));
      }),
    );
  });
});
