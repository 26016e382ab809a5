// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readSnapshotFacts } from '@operator-parts/etcd';
import { boltFile, revisionKey } from '@operator-parts/etcd/testing';
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { ChainGoal } from '../../changes/chain.ts';
import { put } from '../../changes/testing/changes.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { secretKeys } from '../../storage/encryption/secret-keys.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { describeFailure } from '../restore-error.ts';
import { RecordedSeries } from '../testing/recorded-series.ts';
import { openPoint } from './point-source.ts';
import { verifyPoint } from './verify-point.ts';

const base = 'folder/etcd';
const place = { type: 'S3', bucket: 'b', key: base, path: `b/${base}` } as const;
const { signal } = new AbortController();
const start = Date.parse('2026-11-18T14:00:00Z');
const newKeys = () => secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));

function snapshotAt(revision: bigint): Buffer {
  const entries = Array.from({ length: Number(revision) - 1 }, (_, index) => {
    return [revisionKey(BigInt(index + 2)), Buffer.from('\u{a}\u{1}k')] as const;
  });
  const file = boltFile([
    { name: 'key', entries },
    { name: 'lease', entries: [] },
    { name: 'meta', entries: [[Buffer.from('storageVersion'), Buffer.from('3.6.0')]], inline: true },
  ]);
  return Buffer.concat([file, createHash('sha256').update(file).digest()]);
}

const changes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => put(BigInt(from + index), start + 1000 * (from + index)));

/** Full backups at revisions 10 and 20; changes to 15, 18, 24 and 30, one each second. */
async function recorded({ keys = undefined as KeyProvider | undefined, without = -1 } = {}) {
  const store = new MemoryStore();
  const series = new RecordedSeries(store, base, 'abc', keys);
  const cluster = { name: 'example', size: 3, version: '3.6.16' };
  const snapshots = [await series.snapshot(snapshotAt(10n), 10n, start + 10_000, cluster)];
  const segments = [await series.segment(changes(11, 15)), await series.segment(changes(16, 18))];
  snapshots.push(await series.snapshot(snapshotAt(20n), 20n, start + 120_000, cluster));
  segments.push(await series.segment(changes(21, 24)), await series.segment(changes(25, 30)));
  if (without >= 0) await store.delete(segments[without] ?? '');
  return { opened: { store, place, keys }, store, snapshots, segments };
}

type Opened = Awaited<ReturnType<typeof recorded>>['opened'];
const context = { signal, onProgress: () => undefined };
type Goal = ChainGoal & { readonly snapshot?: string };
const verify = (opened: Opened, goal: Goal) => verifyPoint(opened, goal, async () => undefined, context);

async function whyNot(opened: Opened, goal: Goal): Promise<{ why: string; passes: boolean }> {
  return verify(opened, goal).then(
    (facts) => ({ why: `it was accepted: ${JSON.stringify(facts)}`, passes: false }),
    describeFailure,
  );
}

describe('the data of a point in time', () => {
  test.each([
    ['a revision between two segments', { revision: 17n }, 17, '_v10_2026-11-18-14:00:10', 2],
    ['the end of a segment', { revision: 15n }, 15, '_v10_2026-11-18-14:00:10', 1],
    ['the full backup itself', { revision: 20n }, 20, '_v20_2026-11-18-14:02:00', 0],
    ['the last recorded change', { revision: 30n }, 30, '_v20_2026-11-18-14:02:00', 2],
    ['a time between two changes', { time: start + 16_500 }, 16, '_v10_2026-11-18-14:00:10', 2],
    ['the time of a change', { time: start + 16_000 }, 16, '_v10_2026-11-18-14:00:10', 2],
  ] as const)(
    'is the newest full backup before it with the changes after that: %s',
    async (_, goal, revision, of, segments) => {
      const { opened } = await recorded();
      const facts = await verify(opened, goal);
      expect(facts).toMatchObject({
        path: `b/${base}`,
        revision,
        verified: 'Manifest',
        storageVersion: '3.6.0',
        cluster: { name: 'example' },
        pointInTime: { snapshot: `b/${base}${of}`, segments },
      });
      expect(facts.newestEntry).toBeUndefined();
      // A second build for delivery gives the same bytes.
      const again = await openPoint(opened, { revision: BigInt(revision) }, signal, facts.pointInTime?.snapshot);
      const pieces: Uint8Array[] = [];
      for await (const piece of again.all()) pieces.push(Buffer.from(piece));
      const bytes = Buffer.concat(pieces);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(facts.sha256);
      expect((await readSnapshotFacts(async (at, length) => bytes.subarray(at, at + length))).revision).toBe(
        BigInt(revision),
      );
    },
  );

  test('is made again of the same full backup, also if newer ones lead to it by now', async () => {
    const store = new MemoryStore();
    const opened = { store, place, keys: undefined };
    const series = new RecordedSeries(store, base, 'abc');
    await series.snapshot(snapshotAt(10n), 10n, start + 10_000);
    await series.segment(changes(11, 20));
    const goal = { revision: 20n };
    const { sha256, pointInTime } = await verify(opened, goal);
    const { snapshot = '' } = pointInTime ?? {};
    for (let minute = 2; minute < 14; minute++) await series.snapshot(snapshotAt(20n), 20n, start + 60_000 * minute);
    expect((await verify(opened, goal)).sha256).not.toBe(sha256);
    expect(await verify(opened, { ...goal, snapshot })).toMatchObject({ sha256, pointInTime: { snapshot } });
    await store.delete(`${base}_v10_2026-11-18-14:00:10`);
    const { why, passes } = await whyNot(opened, { ...goal, snapshot });
    expect({ why, passes }).toEqual({
      why: expect.stringContaining('is no longer in the backup store'),
      passes: false,
    });
  });

  test('says when the last change that it holds was seen', async () => {
    const { opened } = await recorded();
    const { pointInTime } = await verify(opened, { time: start + 16_500 });
    expect(pointInTime?.time).toBe('2026-11-18T14:00:16.000Z');
  });

  test('is found in an encrypted store, and only with its key', async () => {
    const keys = newKeys();
    const { opened } = await recorded({ keys });
    expect(await verify(opened, { revision: 17n })).toMatchObject({ revision: 17, verified: 'Manifest' });
    const without = await whyNot({ ...opened, keys: undefined }, { revision: 17n });
    expect(without).toEqual({ why: expect.stringMatching(/is encrypted.*spec\.encryption/), passes: false });
    const other = await whyNot({ ...opened, keys: newKeys() }, { revision: 17n });
    expect(other).toEqual({ why: expect.stringContaining('no full backup with a valid manifest'), passes: false });
  });
});

describe('a point in time is refused, with what there is,', () => {
  test.each([
    [
      'before the oldest full backup',
      -1,
      { revision: 5n },
      'revision 5 cannot be restored: the oldest full backup has revision 10 and was made at 2026-11-18T14:00:10.000Z',
    ],
    ['at a time before it', -1, { time: start }, 'the oldest full backup has revision 10'],
    [
      'after the last recorded change',
      -1,
      { revision: 31n },
      'revision 31 cannot be restored: after the full backup of revision 20, the continuous backup has recorded changes only up to revision 30',
    ],
    [
      'at a time after it',
      -1,
      { time: start + 200_000 },
      'the last change that the continuous backup recorded is revision 30 at 2026-11-18T14:00:30.000Z, and no later change was recorded. To restore up to that revision, set spec.pointInTime.revision to 30',
    ],
    [
      'in a gap that a full backup closed',
      -1,
      { revision: 19n },
      'the changes between revisions 18 and 21 are missing, so revision 19 cannot be reached from the full backup of revision 10',
    ],
    ['after a segment that is missing', 0, { revision: 17n }, 'the changes between revisions 10 and 16 are missing'],
  ] as const)('%s', async (_, without, goal, message) => {
    const { opened } = await recorded({ without });
    expect(await whyNot(opened, goal)).toEqual({ why: expect.stringContaining(message), passes: false });
  });

  test('where the changes are of another cluster ID', async () => {
    const store = new MemoryStore();
    const series = new RecordedSeries(store, base, 'abc');
    await series.snapshot(snapshotAt(10n), 10n, start);
    const other = new RecordedSeries(store, base, 'def');
    await other.snapshot(snapshotAt(10n), 10n, start - 60_000);
    await other.segment(changes(11, 15));
    const { why } = await whyNot({ store, place, keys: undefined }, { revision: 12n });
    expect(why).toContain('Change segments of another cluster ID (def, not abc) are not used');
  });

  test.each([40, 200, -1])('where a byte of a segment was changed (%i)', async (at) => {
    const { opened, store, segments } = await recorded();
    const bytes = Buffer.from(store.objects.get(segments[1] ?? '')?.bytes ?? []);
    const index = at < 0 ? bytes.byteLength + at : at;
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    store.seed(segments[1] ?? '', bytes);
    const { why, passes } = await whyNot(opened, { revision: 17n });
    expect(why).toMatch(/segment.*(damaged|does not match its name|was not recorded after)/);
    expect(passes).toBe(false);
  });

  test('where a segment was replaced by one that follows other changes', async () => {
    const { opened, store, segments } = await recorded();
    const forged = new RecordedSeries(store, base, 'abc');
    await forged.snapshot(snapshotAt(10n), 10n, start + 10_000);
    await forged.segment(changes(11, 15).map((one) => put(one.revision, one.at, 'forged')));
    expect(segments).toHaveLength(4);
    const { why } = await whyNot(opened, { revision: 17n });
    expect(why).toContain('was not recorded after');
  });

  test('where the full backup is damaged', async () => {
    const { opened, store, snapshots } = await recorded();
    const bytes = Buffer.from(store.objects.get(snapshots[0] ?? '')?.bytes ?? []);
    bytes[bytes.byteLength - 100] = 7;
    store.seed(snapshots[0] ?? '', bytes);
    expect(await whyNot(opened, { revision: 12n })).toEqual({ why: expect.stringContaining('damaged'), passes: false });
  });
});

describe('a time is never that of a later state', () => {
  const minutes = (count: number) => start + 60_000 * count;

  /** The clock is set back by 50 minutes after revision 8; the backup of revision 10 has an earlier time than that of revision 8. */
  async function setBack({ isFirstKept = true } = {}) {
    const store = new MemoryStore();
    const series = new RecordedSeries(store, base, 'abc');
    const oldest = await series.snapshot(snapshotAt(5n), 5n, minutes(0));
    await series.segment([put(6n, minutes(5)), put(7n, minutes(6))]);
    await series.segment([put(8n, minutes(60))]);
    await series.segment([put(9n, minutes(10))]);
    await series.snapshot(snapshotAt(10n), 10n, minutes(11));
    await series.segment([put(11n, minutes(80))]);
    if (!isFirstKept) await store.delete(oldest);
    return { store, place, keys: undefined };
  }

  test('where the clock was set back before a full backup', async () => {
    const facts = await verify(await setBack(), { time: minutes(30) });
    expect(facts).toMatchObject({ revision: 7, pointInTime: { time: '2026-11-18T14:06:00.000Z' } });
  });

  test('also if there is no earlier full backup', async () => {
    const { why, passes } = await whyNot(await setBack({ isFirstKept: false }), { time: minutes(30) });
    expect(why).toContain('the full backup of revision 10 already contains changes that were recorded after that time');
    expect(passes).toBe(false);
    expect(await verify(await setBack({ isFirstKept: false }), { time: minutes(90) }).catch(String)).toContain(
      'the last change that the continuous backup recorded is revision 11',
    );
  });

  test('where a full backup was long in beginning', async () => {
    const store = new MemoryStore();
    const series = new RecordedSeries(store, base, 'abc');
    await series.snapshot(snapshotAt(5n), 5n, minutes(0));
    await series.segment([put(6n, minutes(5)), put(7n, minutes(14))]);
    await series.snapshot(snapshotAt(7n), 7n, minutes(10));
    await series.segment([put(8n, minutes(20))]);
    expect(await verify({ store, place, keys: undefined }, { time: minutes(12) })).toMatchObject({ revision: 6 });
  });
});

test('a time is found where two operators recorded the same changes, by what was recorded first', async () => {
  const store = new MemoryStore();
  const [one, other] = [new RecordedSeries(store, base, 'abc'), new RecordedSeries(store, base, 'abc')];
  for (const series of [one, other]) await series.snapshot(snapshotAt(5n), 5n, start);
  const at = (revision: bigint, minute: number) => put(revision, start + 60_000 * minute);
  await one.segment([at(6n, 5), at(7n, 6)]);
  await other.segment([at(6n, 30)]);
  await other.segment([at(7n, 30), at(8n, 31), at(9n, 40)]);
  const opened = { store, place, keys: undefined };
  for (const [minute, revision] of [[10, 7] as const, [32, 8] as const, [5, 6] as const])
    expect(await verify(opened, { time: start + 60_000 * minute })).toMatchObject({ revision });
});

test('only leases of the changes before the point are added, so that what is made again for delivery is the same', async () => {
  const store = new MemoryStore();
  const series = new RecordedSeries(store, base, 'abc');
  await series.snapshot(snapshotAt(5n), 5n, start);
  const leased = (revision: bigint, lease: bigint) => {
    const { at, events } = put(revision, start + 1000 * Number(revision));
    return { revision, at, events: events.map((event) => ({ ...event, kv: { ...event.kv, lease } })) };
  };
  await series.segment([leased(6n, 61n), leased(7n, 71n)], new Map([61n, 71n].map((id) => [id, 30])));
  await series.segment([leased(8n, 81n)], new Map([[81n, 30]]));
  const opened = { store, place, keys: undefined };
  const facts = await verify(opened, { time: start + 7_500 });
  const again = await openPoint(opened, { revision: 7n }, signal, facts.pointInTime?.snapshot);
  const hash = createHash('sha256');
  for await (const piece of again.all()) hash.update(piece);
  expect(hash.digest('hex')).toBe(facts.sha256);
});

describe('of a cluster that has lost writes and gone on at a lower revision under the same cluster ID', () => {
  /** Revisions up to 20 are recorded and then lost. A backup of revision `from` is taken an hour later, and other changes are recorded. */
  async function forked(from: number) {
    const store = new MemoryStore();
    const [lost, since] = [new RecordedSeries(store, base, 'abc'), new RecordedSeries(store, base, 'abc')];
    await lost.snapshot(snapshotAt(10n), 10n, start);
    await lost.segment(changes(11, 15));
    await lost.segment(changes(16, 20));
    await since.snapshot(snapshotAt(BigInt(from)), BigInt(from), start + 3_600_000);
    const other = changes(from + 1, 22).map(({ revision, at }) => put(revision, at + 3_600_000, 'other'));
    await since.segment(other);
    return { store, place, keys: undefined };
  }

  test.each([14, 15])('no lost change is added to a backup of after that (%i)', async (from) => {
    for (const revision of [from + 1, 17, 20]) {
      const facts = await verify(await forked(from), { revision: BigInt(revision) });
      expect(facts).toMatchObject({ revision, pointInTime: { segments: 1 } });
      // The change was recorded after the loss, so it belongs to the history since then.
      expect(Date.parse(facts.pointInTime?.time ?? '')).toBe(start + 3_600_000 + 1000 * revision);
    }
  });

  test.each([14, 15])('a time before that is of what was there then (%i)', async (from) => {
    const facts = await verify(await forked(from), { time: start + 18_500 });
    expect(facts).toMatchObject({ revision: 18, pointInTime: { time: '2026-11-18T14:00:18.000Z' } });
  });
});

describe('changes that were made while no process recorded', () => {
  const minutes = (count: number) => start + 60_000 * count;

  /** No operator watches from minute 20 to 40; revisions 8 and 9 are written then, and recorded at minute 40. */
  async function away(since: number) {
    const store = new MemoryStore();
    const series = new RecordedSeries(store, base, 'abc');
    await series.snapshot(snapshotAt(5n), 5n, minutes(0));
    await series.segment([put(6n, minutes(5)), put(7n, minutes(10))]);
    const seen = [put(8n, minutes(40)), put(9n, minutes(40)), put(10n, minutes(41)), put(11n, minutes(50))];
    await series.segment(seen, new Map(), { until: 9n, since });
    return { store, place, keys: undefined };
  }

  test('are of no known time: one between is refused', async () => {
    expect(await whyNot(await away(minutes(20)), { time: minutes(30) })).toEqual({
      why: expect.stringContaining(
        'revisions 8 to 9 were written while the continuous backup was interrupted, so the times of these revisions are unknown. Set spec.pointInTime.revision instead; the last revision with a known time is 7',
      ),
      passes: false,
    });
    expect((await whyNot(await away(0), { time: minutes(15) })).why).toContain(
      'revisions 8 to 9 were written while the continuous backup was interrupted',
    );
  });

  test('keep no other time from being restored, and no revision', async () => {
    for (const [minute, revision] of [
      [7, 6],
      [15, 7],
      [40, 9],
      [45, 10],
    ] as const)
      expect(await verify(await away(minutes(20)), { time: minutes(minute) })).toMatchObject({ revision });
    expect(await verify(await away(0), { revision: 8n })).toMatchObject({ revision: 8 });
  });
});
