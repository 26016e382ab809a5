// SPDX-License-Identifier: Apache-2.0
import { EtcdError, type KeyValue } from '@operator-parts/etcd';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WrittenPrefixes } from '../observation.ts';
import { type ClusterAndBackup, differences, presentRevision } from './cluster-and-backup.ts';
import { mergePrefixes } from './merge-prefixes.ts';
import { Tally } from './tally.ts';
import { backupOf, MemoryEtcd, noSpill } from './testing/memory-etcd.ts';
import { type WriteOptions, writePrefixes } from './write-prefixes.ts';

type Contents = ReadonlyMap<string, string>;

const { signal } = new AbortController();

function sidesOf(etcd: MemoryEtcd, backup: Contents, wanted: readonly string[]): ClusterAndBackup {
  return { kv: etcd.kv, backup: backupOf(backup), spill: noSpill, prefixes: mergePrefixes(wanted) };
}

/** What a first comparison records. */
async function compared(sides: ClusterAndBackup) {
  const revision = await presentRevision(sides, signal);
  const tally = new Tally();
  for await (const change of differences(sides, revision, signal)) tally.add(change);
  return { since: { revision, creates: tally.counts.creates }, counts: tally.counts };
}

function write(sides: ClusterAndBackup, options: Partial<WriteOptions>): Promise<WrittenPrefixes> {
  const nothing = () => undefined;
  return writePrefixes(sides, {
    since: undefined,
    total: 0,
    mayWrite: nothing,
    onProgress: nothing,
    signal,
    ...options,
  });
}

const began = (contents: Contents) => {
  const etcd = new MemoryEtcd();
  for (const [key, value] of contents) etcd.put(key, value);
  return etcd;
};

/** The backup for the prefixes, the cluster for all other keys. */
function wantedOf(live: Contents, backup: Contents, wanted: readonly string[]): Contents {
  const isMeant = ([key]: readonly [string, string]) => wanted.some((prefix) => key.startsWith(prefix));
  return new Map([...[...live].filter((one) => !isMeant(one)), ...[...backup].filter(isMeant)]);
}

const sorted = (contents: Contents) => [...contents].sort(([a], [b]) => (a < b ? -1 : 1));

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 3 });
const contents = fc.dictionary(key, fc.constantFrom('', 'x', 'y')).map((found) => new Map(Object.entries(found)));
const prefixes = fc.array(key, { minLength: 1, maxLength: 3 });

describe('keys of prefixes', () => {
  test('become what they are in the backup, by guarded transactions that name no other key', async () => {
    await fc.assert(
      fc.asyncProperty(contents, contents, prefixes, async (live, backup, wanted) => {
        const etcd = began(live);
        const sides = sidesOf(etcd, backup, wanted);
        const { since, counts } = await compared(sides);
        expect(etcd.contents).toEqual(live);
        await write(sides, { since });
        expect(sorted(etcd.contents)).toEqual(sorted(wantedOf(live, backup, wanted)));
        const named = etcd.transactions.flatMap(({ compare = [], success = [], failure = [] }) => [
          ...compare.map((one) => one.key),
          ...success.map((one) => one.put?.key ?? one.deleteRange?.key),
          ...failure.map((one) => one.range?.key),
        ]);
        for (const one of named)
          expect(
            wanted.some((prefix) =>
              Buffer.from(one ?? [])
                .toString()
                .startsWith(prefix),
            ),
          ).toBe(true);
        for (const { compare = [], success = [] } of etcd.transactions) expect(compare).toHaveLength(success.length);
        const operations = etcd.transactions.flatMap(({ success = [] }) => success);
        expect(operations).toHaveLength(counts.puts + counts.deletes);
        const again = await compared(sides);
        expect(again.counts).toMatchObject({ puts: 0, deletes: 0 });
      }),
    );
  });

  const large = () =>
    new Map(Array.from({ length: 300 }, (_, index) => [`/p/${String(index).padStart(3, '0')}`, 'new']));

  test('are written on where an attempt ended between two transactions, whichever; what was compacted is not missed', async () => {
    for (let ends = 0; ends <= 4; ends++) {
      const etcd = began(new Map([...[...large().keys()].slice(100, 250)].map((name) => [name, 'old'])));
      etcd.put('/p/extra', 'x');
      etcd.put('/other', 'mine');
      const sides = sidesOf(etcd, large(), ['/p/']);
      const { since, counts } = await compared(sides);
      expect(counts).toEqual({ puts: 300, creates: 150, leased: 0, putBytes: 2_700, deletes: 1, unchanged: 0 });
      const left = { transactions: ends };
      const mayWrite = () => {
        if (left.transactions-- === 0) throw new Error('the process ends');
      };
      await expect(write(sides, { since, mayWrite })).rejects.toThrow('the process ends');
      etcd.put('/other', 'mine again');
      etcd.compact();
      await write(sides, { since });
      expect(sorted(etcd.contents)).toEqual(sorted(new Map([...large(), ['/other', 'mine again']])));
      expect(etcd.at('/p/000')?.version).toBe(1n);
      expect(etcd.at('/p/100')?.version).toBe(2n);
    }
  });

  test('have no lease, and one that has the value of the backup keeps the lease that it has', async () => {
    const etcd = new MemoryEtcd();
    etcd.put('/p/same', 'v', 5n);
    etcd.put('/p/other', 'w', 5n);
    const backup = new Map([...['/p/same', '/p/other', '/p/new'].map((name) => [name, 'v'] as const)]);
    const sides = { ...sidesOf(etcd, backup, ['/p/']), backup: backupOf(backup, 9n) };
    const { since, counts } = await compared(sides);
    expect(counts).toEqual({ puts: 2, creates: 1, leased: 2, putBytes: 16, deletes: 0, unchanged: 1 });
    await write(sides, { since });
    expect(['/p/same', '/p/other', '/p/new'].map((name) => etcd.at(name)?.lease)).toEqual([5n, 0n, 0n]);
  });
});

describe('what another client has changed since the comparison', () => {
  const live = new Map([...['/p/a', '/p/b', '/p/c', '/p/x'].map((name) => [name, 'old'] as const)]);
  const backup = new Map([...['/p/a', '/p/b', '/p/c', '/p/d', '/p/e'].map((name) => [name, 'new'] as const)]);
  const changes: readonly (readonly [string, (etcd: MemoryEtcd) => void, string])[] = [
    [
      'a key that would be put',
      (etcd) => etcd.put('/p/b', 'mine'),
      'key /p/b was changed in the cluster at revision 6',
    ],
    ['the same value again', (etcd) => etcd.put('/p/b', 'old'), 'key /p/b was changed in the cluster at revision 6'],
    ['a key that would be deleted', (etcd) => etcd.put('/p/x', 'mine'), 'key /p/x was changed'],
    ['a key that is new', (etcd) => etcd.put('/p/z', 'mine'), 'key /p/z was changed'],
    ['a key that would be created', (etcd) => etcd.put('/p/d', 'mine'), 'key /p/d was changed'],
    ['a deletion', (etcd) => etcd.delete('/p/b'), '1 key of the backup was deleted from the cluster'],
    [
      'deletions beside a creation',
      (etcd) => {
        etcd.put('/p/d', 'new');
        etcd.delete('/p/a');
        etcd.delete('/p/b');
      },
      '2 keys of the backup were deleted from the cluster',
    ],
  ];

  /** The keys that are written: new keys are no longer compared. */
  const guarded = ['/p/b', '/p/x', '/p/d'];

  test.each(changes)('is refused before anything is written: %s', async (_what, change, why) => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const { since } = await compared(sides);
    change(etcd);
    etcd.compact();
    const before = etcd.revision;
    const refused = write(sides, { since });
    await expect(refused).rejects.toMatchObject({ code: 'KeysChanged', message: expect.stringContaining(why) });
    await expect(refused).rejects.toThrow('spec.onConflict to Overwrite');
    expect(etcd.revision).toBe(before);
  });

  test.each(changes)('is overwritten if that is asked for: %s', async (_what, change) => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    change(etcd);
    await write(sides, {});
    expect(sorted(etcd.contents)).toEqual(sorted(backup));
  });

  test.each(changes.filter(([, , why]) => guarded.some((name) => why.includes(name))))(
    'is found in the last moment by the guard: %s',
    async (_what, change, why) => {
      const etcd = began(live);
      const sides = sidesOf(etcd, backup, ['/p/']);
      const { since } = await compared(sides);
      etcd.beforeTransaction = () => {
        etcd.beforeTransaction = () => undefined;
        change(etcd);
      };
      await expect(write(sides, { since })).rejects.toMatchObject({ message: expect.stringContaining(why) });
      expect(etcd.at('/p/a')?.version).toBe(1n);
    },
  );

  test('is found by the guard if it was deleted', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const { since } = await compared(sides);
    etcd.beforeTransaction = () => etcd.delete('/p/b');
    await expect(write(sides, { since })).rejects.toThrow('1 key of the backup was deleted from the cluster');
    expect(etcd.at('/p/a')?.version).toBe(1n);
  });

  test('is nothing if it has become what the backup has in the last moment', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const { since } = await compared(sides);
    etcd.beforeTransaction = () => {
      etcd.beforeTransaction = () => undefined;
      etcd.put('/p/b', 'new');
      etcd.put('/p/d', 'new');
      etcd.delete('/p/x');
    };
    await write(sides, { since });
    expect(sorted(etcd.contents)).toEqual(sorted(backup));
    expect(etcd.at('/p/b')?.version).toBe(2n);
  });

  test('is refused in the end if it never rests', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const { since } = await compared(sides);
    etcd.beforeTransaction = () => {
      etcd.put('/p/b', 'new');
      etcd.put('/p/d', 'new');
    };
    const restless = {
      ...sides,
      kv: {
        ...sides.kv,
        txn: async () => ({
          ...(await etcd.kv.txn({ compare: [{ key: Buffer.from('-'), target: 'version', version: 1n }] })),
        }),
      },
    };
    await expect(write(restless, { since })).rejects.toMatchObject({ code: 'KeysChanged' });
    expect(etcd.at('/p/a')?.version).toBe(1n);
  });

  test('is nothing if it is what the backup has, or lies elsewhere', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const { since } = await compared(sides);
    etcd.put('/p/b', 'new');
    etcd.delete('/p/x');
    etcd.put('/q', 'mine');
    await write(sides, { since });
    expect(sorted(etcd.contents)).toEqual(sorted(new Map([...backup, ['/q', 'mine']])));
  });

  const operation = fc.tuple(key, fc.constantFrom('x', 'y', undefined));

  test('of random histories: either nothing that others wrote is lost, or it is refused', async () => {
    const others = fc.array(operation, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(contents, contents, prefixes, others, fc.nat(3), async (first, stored, wanted, history, at) => {
        const etcd = began(first);
        const sides = sidesOf(etcd, stored, wanted);
        const { since } = await compared(sides);
        const happened: [string, string | undefined][] = [];
        const happen = (count: number) => {
          for (const [name, value] of history.slice(happened.length, happened.length + count)) {
            happened.push([name, value]);
            if (value === undefined) etcd.delete(name);
            else etcd.put(name, value);
          }
        };
        happen(at);
        etcd.beforeTransaction = () => happen(4);
        const before = new Map(etcd.contents);
        const isRefused = await write(sides, { since }).then(
          () => false,
          (error: { code?: string }) => error.code === 'KeysChanged' || Promise.reject(error),
        );
        const changed = happened.slice(0, at).filter(([name, value]) => first.get(name) !== value);
        const meant = changed.filter(([name]) => wanted.some((prefix) => name.startsWith(prefix)));
        // A change of another client that differs from the backup is never overwritten without a report.
        const standing = meant.filter(
          ([name]) => before.get(name) !== first.get(name) && before.get(name) !== stored.get(name),
        );
        expect(standing.length === 0 || isRefused).toBe(true);
        const elsewhere = (all: Contents) =>
          sorted(all).filter(([name]) => !wanted.some((prefix) => name.startsWith(prefix)));
        const others = new Map(before);
        for (const [name, value] of happened.slice(at))
          if (value === undefined) others.delete(name);
          else others.set(name, value);
        expect(elsewhere(etcd.contents)).toEqual(elsewhere(others));
        const wantedNow = isRefused ? others : etcd.contents;
        expect(sorted(etcd.contents)).toEqual(sorted(wantedNow));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what others have written after the safety snapshot', () => {
  const backup = new Map([...['/p/a', '/p/b', '/p/d'].map((name) => [name, 'new'] as const)]);
  const live = new Map([...['/p/a', '/p/b', '/p/x'].map((name) => [name, 'old'] as const)]);

  test('is left, and all else is overwritten, until another snapshot has it', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const savedUpTo = etcd.revision;
    etcd.put('/p/b', 'mine');
    etcd.put('/p/z', 'mine');
    const { unsaved } = await write(sides, { savedUpTo });
    expect(unsaved).toEqual({ keys: 2, first: '/p/b', revision: 5 });
    expect(sorted(etcd.contents)).toEqual(sorted(new Map([...backup, ['/p/b', 'mine'], ['/p/z', 'mine']])));
    expect((await write(sides, { savedUpTo: etcd.revision })).unsaved).toBeUndefined();
    expect(sorted(etcd.contents)).toEqual(sorted(backup));
  });

  test('is left also if it is written in the last moment', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    const savedUpTo = etcd.revision;
    etcd.beforeTransaction = () => {
      etcd.beforeTransaction = () => undefined;
      etcd.put('/p/a', 'mine');
    };
    expect((await write(sides, { savedUpTo })).unsaved).toMatchObject({ keys: 1, first: '/p/a' });
    expect(sorted(etcd.contents)).toEqual(sorted(new Map([...backup, ['/p/a', 'mine']])));
  });

  test('is overwritten if no snapshot is wanted, also if it is written in the last moment', async () => {
    const etcd = began(live);
    const sides = sidesOf(etcd, backup, ['/p/']);
    let left = 3;
    etcd.beforeTransaction = () => {
      if (left-- > 0) etcd.put('/p/a', `mine ${left}`);
    };
    expect((await write(sides, {})).unsaved).toBeUndefined();
    expect(sorted(etcd.contents)).toEqual(sorted(backup));
  });

  test('and never stops changing fails for a while, with what to do', async () => {
    const etcd = began(live);
    let count = 0;
    etcd.beforeTransaction = () => etcd.put('/p/a', `mine ${count++}`);
    await expect(write(sidesOf(etcd, backup, ['/p/']), {})).rejects.toMatchObject({
      code: 'NotDelivered',
      message: expect.stringMatching(
        /^key \/p\/a was changed .* while the restore was writing this key.*Stop the clients/,
      ),
    });
    expect(etcd.at('/p/b')?.version).toBe(1n);
  });

  /** What may happen between two requests of the restore: nothing, a change by another client, or a crash of the operator. */
  const event: fc.Arbitrary<Event> = fc.oneof(
    { weight: 4, arbitrary: fc.constant('nothing' as const) },
    { weight: 4, arbitrary: fc.tuple(key, fc.constantFrom('x', 'y', 'z', undefined)) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
  );

  type Event = 'nothing' | 'crash' | readonly [string, string | undefined];

  /**
   * A cluster in which the next event of a history happens before each request, and after each transaction. `gone` has what transactions
   * have overwritten and deleted.
   */
  function busy(etcd: MemoryEtcd, history: readonly Event[]) {
    const events = history.values();
    const gone: KeyValue[] = [];
    const happen = () => {
      const { value = 'nothing' } = events.next();
      if (value === 'crash') throw new Error('the process ends');
      if (value === 'nothing') return;
      const [name, text] = value;
      if (text === undefined) etcd.delete(name);
      else etcd.put(name, text);
    };
    const range: ClusterAndBackup['kv']['range'] = async (request) => {
      happen();
      return etcd.kv.range(request);
    };
    const txn: ClusterAndBackup['kv']['txn'] = async (request) => {
      happen();
      const names = (request.success ?? []).map(({ put, deleteRange }) => put?.key ?? deleteRange?.key ?? []);
      const before = names.flatMap((name) => etcd.at(Buffer.from(name).toString('latin1')) ?? []);
      const answer = await etcd.kv.txn(request);
      if (answer.succeeded) gone.push(...before);
      happen();
      return answer;
    };
    return { kv: { range, txn }, gone };
  }

  /** Writes until nothing is left, with another snapshot before each round. Returns the snapshots, all of which the status lists. */
  async function overwrite(etcd: MemoryEtcd, sides: ClusterAndBackup) {
    const named: { readonly revision: bigint; readonly keys: readonly (KeyValue | undefined)[] }[] = [];
    const save = () => {
      named.push({ revision: etcd.revision, keys: [...etcd.contents.keys()].map((name) => etcd.at(name)) });
    };
    save();
    for (;;) {
      try {
        const { unsaved } = await write(sides, { savedUpTo: named.at(-1)?.revision });
        if (!unsaved) return named;
        save();
      } catch (error) {
        if (!String(error).includes('the process ends')) throw error;
      }
    }
  }

  test('of random histories: every value that is gone from the cluster is in a safety snapshot that is named', async () => {
    let [overwritten, rounds] = [0, 0];
    const events = fc.array(event, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(contents, contents, prefixes, events, async (first, stored, wanted, history) => {
        const etcd = began(first);
        const { kv, gone } = busy(etcd, history);
        const named = await overwrite(etcd, { ...sidesOf(etcd, stored, wanted), kv });
        overwritten += gone.length;
        rounds += named.length - 1;
        const saved = new Set(named.flatMap(({ keys }) => keys.map((kept) => kept?.modRevision)));
        // In these histories each revision changes one key.
        for (const { modRevision } of gone) expect(saved).toContain(modRevision);
      }),
      { numRuns: 1_000 },
    );
    expect(overwritten).toBeGreaterThan(500);
    expect(rounds).toBeGreaterThan(20);
  });
});

describe('a cluster', () => {
  const backup = new Map(Array.from({ length: 40 }, (_, index) => [`/p/${index}`, 'v']));

  function limited(etcd: MemoryEtcd, most: number, code: 'InvalidArgument' | 'RequestTooLarge') {
    const txn: MemoryEtcd['kv']['txn'] = async (request) => {
      if ((request.success?.length ?? 0) > most) throw new EtcdError(code, 'too many operations in txn request');
      return etcd.kv.txn(request);
    };
    return { ...etcd.kv, txn };
  }

  test.each(['InvalidArgument', 'RequestTooLarge'] as const)(
    'with lower limits gets smaller transactions (%s)',
    async (code) => {
      const etcd = new MemoryEtcd();
      const sides = { ...sidesOf(etcd, backup, ['/p/']), kv: limited(etcd, 7, code) };
      const { since } = await compared(sides);
      await write(sides, { since });
      expect(sorted(etcd.contents)).toEqual(sorted(backup));
    },
  );

  test.each([
    ['RequestTooLarge', 'key /p/0 is too large for a transaction of this cluster: raise ETCD_MAX_REQUEST_BYTES'],
    ['NoSpace', 'the cluster has no space left (alarm NOSPACE)'],
  ] as const)('that takes none says what to do (%s)', async (code, why) => {
    const etcd = new MemoryEtcd();
    const txn = () => Promise.reject(new EtcdError(code, 'refused'));
    const sides = { ...sidesOf(etcd, new Map([['/p/0', 'v']]), ['/p/']), kv: { ...etcd.kv, txn } };
    await expect(write(sides, {})).rejects.toThrow(why);
  });

  test('whose database would exceed its quota gets nothing', async () => {
    const etcd = new MemoryEtcd();
    const sides = sidesOf(etcd, backup, ['/p/']);
    const space = { size: 10_000, quota: 20_000 };
    await expect(write(sides, { space })).rejects.toMatchObject({
      code: 'NotDelivered',
      message: expect.stringContaining('writing 40 keys needs up to'),
    });
    expect(etcd.transactions).toEqual([]);
    await write(sides, { space: { ...space, quota: 200_000 } });
    expect(sorted(etcd.contents)).toEqual(sorted(backup));
  });

  test('that takes no more says how many keys it has taken, also of an attempt before', async () => {
    const etcd = new MemoryEtcd();
    const many = new Map(Array.from({ length: 200 }, (_, index) => [`/p/${String(index).padStart(3, '0')}`, 'v']));
    let left = 2;
    const txn: MemoryEtcd['kv']['txn'] = async (request) => {
      if (left-- <= 0) throw new EtcdError('NoSpace', 'refused');
      return etcd.kv.txn(request);
    };
    const sides = { ...sidesOf(etcd, many, ['/p/']), kv: { ...etcd.kv, txn } };
    const told: number[] = [];
    const options = { total: 200, onProgress: (keys: number) => void told.push(keys) };
    const words = '128 of 200 keys written, then writing failed: the cluster has no space left (alarm NOSPACE)';
    await expect(write(sides, options)).rejects.toThrow(words);
    await expect(write(sides, options)).rejects.toThrow(words);
    left = 5;
    await write(sides, options);
    expect(told).toEqual([64, 128, 192, 200]);
  });
});
