// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo } from '@operator-parts/blob';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manifestPath } from '../../storage/manifest.ts';
import { periodicKey } from './backup-names.ts';
import { type KeepRules, keepAll, keepsAll } from './keep-rules.ts';
import { retention, seriesIn } from './retention.ts';

const at = (text: string) => Date.parse(text);

/** A backup of the series `b`; `storedAt` is set where the store's clock and the name differ. */
interface Made {
  readonly revision: bigint;
  readonly time: number;
  readonly storedAt?: number;
  /** A leftover has no manifest; a damaged backup has a manifest with another length. */
  readonly manifest?: 'fits' | 'none' | 'differs';
}

const keyOf = ({ revision, time }: Made) => periodicKey('b', revision, time);
const made = (revision: bigint, time: string, more: Partial<Made> = {}): Made => ({
  revision,
  time: at(time),
  ...more,
});

function listed(all: readonly Made[]): BlobInfo[] {
  const infos = all.flatMap((one) => {
    const key = keyOf(one);
    const info = { key, bytes: 544, modifiedAt: one.storedAt ?? one.time, etag: undefined };
    return one.manifest === 'none' ? [info] : [info, { ...info, key: manifestPath(key), bytes: 300 }];
  });
  return infos.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function decide(
  all: readonly Made[],
  rules: number | KeepRules,
  just: Made | undefined,
  listing: readonly BlobInfo[] = listed(all),
  spared: ReadonlySet<string> = new Set(),
) {
  const keep = typeof rules === 'number' ? { ...keepAll, last: rules } : rules;
  const series = seriesIn('b', listing);
  if ('problem' in series) return series;
  const manifests = all.filter(({ manifest }) => manifest !== 'none');
  const bytes = new Map(manifests.map((one) => [keyOf(one), one.manifest === 'differs' ? 1_056 : 544]));
  return retention(series, bytes, { keep, made: just ? keyOf(just) : '', spared });
}

function gone(all: readonly Made[], keep: number, just = all.at(-1)): readonly string[] {
  const decided = decide(all, keep, just);
  return 'problem' in decided ? [decided.problem] : decided.surplus.map(({ key }) => key);
}

describe('[80] D18: which backups go', () => {
  test('where the store tells one time of everything, and revisions began again at 1, the times of the names decide', () => {
    const storedAt = 1_000;
    const old = made(900n, '2026-01-01T00:00:00Z', { storedAt });
    const next = made(5n, '2026-01-02T00:00:00Z', { storedAt });
    const fresh = made(6n, '2026-01-03T00:00:00Z', { storedAt });
    expect(gone([old, next, fresh], 2)).toEqual([keyOf(old)]);
  });

  test.each([
    [9n, 10n],
    [99n, 100n],
    [999n, 1000n],
  ])('the newest stays when the revision grows from %s to %s', (before, after) => {
    const [old, fresh] = [made(before, '2026-01-01T00:00:00Z'), made(after, '2026-01-01T00:01:00Z')];
    expect(gone([old, fresh], 1)).toEqual([keyOf(old)]);
  });

  test('a restored cluster starts at a lower revision, and time decides', () => {
    const [old, fresh] = [made(5000n, '2026-01-01T00:00:00Z'), made(3n, '2026-01-02T00:00:00Z')];
    expect(gone([old, fresh], 1)).toEqual([keyOf(old)]);
  });

  test('what was just made stays, also where the clock went back, and so does what was made later by it', () => {
    const later = made(7n, '2026-05-01T00:00:00Z');
    const old = made(6n, '2026-03-01T00:00:00Z');
    expect(gone([later, old, made(8n, '2026-04-01T00:00:00Z')], 1)).toEqual([keyOf(old)]);
  });

  test('backups named by a clock that was a year ahead go in their turn, by when the store got them', () => {
    const ahead = [4n, 5n].map((revision) =>
      made(revision, '2027-01-01T00:00:00Z', { storedAt: at(`2026-01-01T0${revision - 4n}:00:00Z`) }),
    );
    const right = [made(6n, '2026-01-01T02:00:00Z'), made(7n, '2026-01-01T03:00:00Z')];
    expect(gone([...ahead, ...right], 2)).toEqual(ahead.map(keyOf));
    const yearLater = made(8n, '2027-02-01T00:00:00Z');
    expect(gone([...ahead, ...right, yearLater], 3)).toEqual(ahead.map(keyOf));
  });

  test('a copy of the whole bucket, which the store got today, does not make backups younger', () => {
    const copied = [1n, 2n, 3n].map((revision) =>
      made(revision, `2026-01-0${revision}T00:00:00Z`, { storedAt: at('2026-06-01T00:00:00Z') }),
    );
    expect(gone([...copied, made(4n, '2026-06-02T00:00:00Z')], 3)).toEqual([keyOf(copied[0] ?? made(0n, ''))]);
  });

  test('a clock that is decades behind lets no backup go that was made by a right one', () => {
    const right = [made(6n, '2026-01-01T02:00:00Z'), made(7n, '2026-01-01T03:00:00Z')];
    const behind = [made(8n, '1970-01-01T00:01:00Z'), made(9n, '1970-01-01T01:01:00Z')];
    expect(gone([...right, ...behind], 1)).toEqual(behind.slice(0, 1).map(keyOf));
  });

  test('leftovers of failed attempts take the place of no backup, and are not what retention deletes', () => {
    const sound = [1n, 2n, 3n].map((revision) => made(revision, `2026-01-0${revision}T00:00:00Z`));
    const damaged = [
      made(4n, '2026-01-04T00:00:00Z', { manifest: 'none' }),
      made(5n, '2026-01-05T00:00:00Z', { manifest: 'differs' }),
    ];
    const just = made(6n, '2026-01-06T00:00:00Z');
    expect(decide([...sound, ...damaged, just], 3, just)).toMatchObject({ uncounted: 2 });
    expect(gone([...sound, ...damaged, just], 3)).toEqual(sound.slice(0, 1).map(keyOf));
  });

  test('0 keeps all', () => {
    expect(gone([made(1n, '2026-01-01T00:00:00Z'), made(2n, '2026-01-01T00:00:01Z')], 0)).toEqual([]);
  });

  test.each([
    ['an entry twice', (all: BlobInfo[]) => [...all.slice(0, 1), ...all], /lists b_v1_.* twice/],
    ['a page twice', (all: BlobInfo[]) => [...all, ...all], /after/],
    ['entries backwards', (all: BlobInfo[]) => all.toReversed(), /after/],
    ['not what was just made', (all: BlobInfo[]) => all.slice(0, 2), /the new backup b_v2_.* not at all/],
  ])('a listing that names %s decides nothing', (_what, spoil, problem) => {
    const all = [made(1n, '2026-01-01T00:00:00Z'), made(2n, '2026-01-02T00:00:00Z')];
    expect(decide(all, 1, all[1], spoil(listed(all)))).toEqual({ problem: expect.stringMatching(problem) });
  });
});

const someMade = fc.uniqueArray(
  fc.record({
    revision: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    time: fc.integer({ min: 0, max: 4_000_000 }).map((seconds) => seconds * 1000),
    // Some stores report the same time for all objects.
    storedAt: fc.oneof(
      fc.constant(1_000_000_000),
      fc.integer({ min: 0, max: 4_000_000 }).map((seconds) => seconds * 1000),
    ),
    manifest: fc.constantFrom('fits', 'fits', 'none', 'differs'),
  }),
  { selector: keyOf, minLength: 1, maxLength: 25 },
);

/** Faults of a listing: missing entries, repeated entries, wrong order. */
const spoiled = (all: readonly BlobInfo[]) =>
  fc.oneof(
    fc.constant(all),
    fc.subarray([...all]),
    fc.shuffledSubarray([...all], { minLength: all.length }),
    fc.subarray([...all]).map((again) => [...all, ...again]),
    fc.subarray([...all]).map((again) => [...all, ...again].toSorted((a, b) => (a.key < b.key ? -1 : 1))),
    fc.nat(all.length).map((end) => all.slice(0, end)),
  );

test('whatever is stored and however it is listed, the newest sound backups stay and no more go than policy allows', () => {
  const scenes = someMade.chain((all) =>
    fc.record({
      all: fc.constant(all),
      listing: spoiled(listed(all)),
      keep: fc.integer({ min: 0, max: 12 }),
      just: fc.constantFrom(...all),
    }),
  );
  fc.assert(
    fc.property(scenes, ({ all, listing, keep, just }) => {
      const decided = decide(all, keep, just, listing);
      const going = new Set('problem' in decided ? [] : decided.surplus.map(({ key }) => key));
      const sound = all.filter(({ manifest }) => manifest === 'fits');
      expect(going.has(keyOf(just))).toBe(false);
      for (const key of going) expect(sound.some((one) => keyOf(one) === key)).toBe(true);
      expect(going.size).toBeLessThanOrEqual(keep === 0 ? 0 : Math.max(0, sound.length - keep));
      const age = ({ time, storedAt = time }: Made) => Math.min(time, storedAt || time);
      const departing = sound.filter((one) => going.has(keyOf(one)));
      const known = sound.filter((one) => age(one) <= age(just) && listing.some(({ key }) => key === keyOf(one)));
      const newest = known
        .toSorted((a, b) => age(b) - age(a) || b.time - a.time || (b.revision > a.revision ? 1 : -1))
        .filter((one) => keyOf(one) !== keyOf(just))
        .slice(0, Math.max(0, keep - 1));
      for (const one of departing) expect(newest.some((kept) => keyOf(kept) === keyOf(one))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

const someRules: fc.Arbitrary<KeepRules> = fc.record({
  last: fc.integer({ min: 0, max: 3 }),
  hourly: fc.integer({ min: 0, max: 3 }),
  daily: fc.integer({ min: 0, max: 3 }),
  weekly: fc.integer({ min: 0, max: 3 }),
  monthly: fc.integer({ min: 0, max: 3 }),
  withinMs: fc.constantFrom(0, 3_600_000, 86_400_000),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
});

test('whatever the rules, however it is listed: what was just made, what is spared and what is not sound never go', () => {
  const scenes = someMade.chain((all) =>
    fc.record({
      all: fc.constant(all),
      listing: spoiled(listed(all)),
      rules: someRules,
      just: fc.constantFrom(...all),
      spared: fc.subarray(all.map(keyOf)),
    }),
  );
  fc.assert(
    fc.property(scenes, ({ all, listing, rules, just, spared }) => {
      const decided = decide(all, rules, just, listing, new Set(spared));
      const going = 'problem' in decided ? [] : decided.surplus.map(({ key }) => key);
      expect(keepsAll(rules) && going.length > 0).toBe(false);
      for (const key of going) {
        expect(key).not.toBe(keyOf(just));
        expect(spared).not.toContain(key);
        expect(all.find((one) => keyOf(one) === key)?.manifest).toBe('fits');
      }
    }),
    { numRuns: 2_000 },
  );
});
