// SPDX-License-Identifier: Apache-2.0
import { createLogger, type LogRecord, seededRandom, settle, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import type { BlobStore, PutOptions } from '../blob-store.ts';
import { createStore, type StoreSettings } from '../store.ts';
import { bytesOf, chunked, sha256 } from '../testing/bodies.ts';
import { type CallFault, MemoryDriver, type Operation } from '../testing/memory-driver.ts';

/** A store under virtual time. */
function scene(driver = new MemoryDriver(), settings: StoreSettings = {}) {
  const clock = new VirtualClock();
  const records: LogRecord[] = [];
  const logger = createLogger({ clock, level: 'debug', write: (record) => records.push(record) });
  const store = createStore(driver, { clock, random: seededRandom(1), logger, ...settings });
  return { clock, driver, store, records };
}

/** Advances virtual time until a promise has settled. */
async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  let result: PromiseSettledResult<T> | undefined;
  const watching = Promise.allSettled([promise]).then(([outcome]) => {
    result = outcome;
  });
  for (let turn = 0; turn < 2_000 && !result; turn++) {
    // Work that does not wait for the clock goes first: time advances only when everything waits for it.
    await settle(12);
    if (!result) await clock.advance(clock.untilNextTimer ?? 1);
  }
  await watching;
  if (!result) throw new Error('it never settled');
  return result;
}

async function put(
  { clock, store }: { readonly clock: VirtualClock; readonly store: BlobStore },
  body: AsyncIterable<Uint8Array>,
  options: PutOptions = {},
): Promise<unknown> {
  const outcome = await settled(clock, store.put('k', body, options));
  return outcome.status === 'fulfilled' ? outcome.value : outcome.reason;
}

const broken = (code: BlobErrorCode = 'Unavailable') => new BlobError(code, 'a mishap');

/** The nth call of an operation fails. */
function nth(operation: Operation, which: number, callFault: CallFault) {
  return (called: Operation, count: number) => (called === operation && count === which ? callFault : undefined);
}

describe('parts', () => {
  test('any body, in any chunks, is stored as it is; parts have the sizes they should have', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 350 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 130 }),
        fc.integer({ min: 1, max: 5 }),
        async (chunks, firstPartBytes, partsInFlight) => {
          const s = scene(new MemoryDriver({ firstPartBytes, partsInFlight }));
          async function* body() {
            yield* chunks;
          }
          const expected = Buffer.concat(chunks);
          expect(await put(s, body())).toMatchObject({
            bytes: expected.byteLength,
            sha256: sha256(expected),
            parts: Math.max(1, Math.ceil(expected.byteLength / firstPartBytes)),
          });
          expect(s.driver.objects.get('k')).toEqual(expected);
          expect(s.driver.uploads.size).toBe(0);
          expect(s.driver.biggestPart).toBeLessThanOrEqual(firstPartBytes);
          expect(s.clock.pendingTimers).toBe(0);
        },
      ),
    );
  });

  test('several are under way at once, but never more than allowed', async () => {
    const s = scene(new MemoryDriver({ partsInFlight: 3 }));
    s.driver.delay = () => settle(2);
    await put(s, chunked(bytesOf(2_000), 64));
    expect(s.driver.mostPartsInFlight).toBe(3);
  });

  test('the budget for buffers bounds them too, down to one part at a time', async () => {
    for (const [bufferBytes, most] of [
      [400, 3],
      [300, 3],
      [200, 2],
      [100, 1],
      [1, 1],
    ] as const) {
      const s = scene(new MemoryDriver({ partsInFlight: 3 }), { bufferBytes });
      s.driver.delay = () => settle(2);
      await put(s, chunked(bytesOf(1_500), 64));
      expect(s.driver.mostPartsInFlight).toBe(most);
      expect(s.driver.objects.get('k')).toEqual(bytesOf(1_500));
    }
  });

  test('a body that is faster than the store waits for it', async () => {
    const s = scene(new MemoryDriver({ partsInFlight: 2 }));
    let taken = 0;
    async function* body() {
      for (let at = 0; at < 100; at++) {
        taken += 100;
        yield bytesOf(100, at);
      }
    }
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    s.driver.delay = (operation) => (operation === 'part' ? gate : Promise.resolve());
    const done = s.store.put('k', body());
    await settle(50);
    // Two in progress, one being filled, and the chunk that does not fit any more.
    expect(taken).toBe(400);
    open();
    await settled(s.clock, done);
    expect(taken).toBe(10_000);
  });

  test('parts grow, so that as many as the store allows hold any body', async () => {
    const s = scene(new MemoryDriver({ firstPartBytes: 10, maxParts: 20, partsInFlight: 1 }));
    const body = bytesOf(10 * (2 * (1 + 2 + 4 + 8 + 16) + 1));
    expect(await put(s, chunked(body))).toMatchObject({ parts: 11 });
    expect(s.driver.biggestPart).toBe(160);
    expect(s.driver.objects.get('k')).toEqual(body);
  });
});

describe('verify', () => {
  test('a body that hashes itself is asked once, at its end, and is believed', async () => {
    for (const length of [5, 1_000]) {
      const s = scene(new MemoryDriver({ firstPartBytes: 100 }));
      const asked: string[] = [];
      const told: string[] = [];
      const body = async function* () {
        yield* chunked(bytesOf(length));
        asked.push('body over');
      };
      const options: PutOptions = {
        sha256: () => {
          asked.push('asked');
          return 'f00d';
        },
        verify: (summary) => void told.push(summary.sha256),
      };
      expect(await put(s, body(), options)).toMatchObject({ bytes: length, sha256: 'f00d' });
      expect(asked).toEqual(['body over', 'asked']);
      expect(told).toEqual(['f00d']);
    }
  });

  test.each([50, 500])('is asked after the last byte of %i, and before the object is there', async (length) => {
    const s = scene();
    const body = bytesOf(length);
    const seen: unknown[] = [];
    await put(s, chunked(body), {
      verify: (summary) => {
        seen.push([summary, s.driver.objects.has('k'), s.driver.calls.includes('finish')]);
      },
    });
    expect(seen).toEqual([[{ bytes: length, sha256: sha256(body) }, false, false]]);
  });

  test.each([50, 500])('that refuses a body of %i bytes leaves what was there', async (length) => {
    const s = scene();
    s.driver.objects.set('k', Buffer.from('old'));
    const wrong = new Error('wrong');
    const outcome = await put(s, chunked(bytesOf(length)), { verify: () => Promise.reject(wrong) });
    expect(outcome).toBe(wrong);
    expect(s.driver.objects.get('k')?.toString()).toBe('old');
    expect(s.driver.uploads.size).toBe(0);
    expect(s.driver.calls).not.toContain('finish');
    expect(s.driver.calls).not.toContain('whole');
  });
});

describe('an object that is not shown to be kept as was asked for', () => {
  test.each(['Configuration', 'Unavailable'] as const)('is no success, whatever its content (%s)', async (code) => {
    const s = scene();
    Object.assign(s.driver, { confirm: () => Promise.reject(broken(code)) });
    const body = bytesOf(50);
    const summary = { bytes: 50, sha256: sha256(body) };
    expect(await put(s, chunked(body))).toMatchObject({ code, outcomeUnknown: false });
    expect(await s.store.settle('k', summary)).toBe('stored');
    const isNew = await settled(s.clock, s.store.settle('k', summary, { isNew: true }));
    expect(isNew).toMatchObject({ status: 'rejected', reason: { code } });
  });
});

describe('faults', () => {
  const operations: readonly Operation[] = ['clear', 'begin', 'part', 'finish', 'abort'];

  test('whatever goes wrong: a success is one, a failure leaves what was there, and no upload stays', async () => {
    const callFaults = fc.array(
      fc.record({
        operation: fc.constantFrom(...operations),
        which: fc.integer({ min: 1, max: 12 }),
        when: fc.constantFrom('before' as const, 'after' as const),
        code: fc.constantFrom<BlobErrorCode>('Unavailable', 'Throttled', 'Timeout', 'Denied', 'Expired', 'Unknown'),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(callFaults, fc.integer({ min: 101, max: 900 }), async (planned, length) => {
        const s = scene();
        s.driver.objects.set('k', Buffer.from('old'));
        s.driver.delay = () => settle(1);
        // Permanent refusals while cleaning up are not tested here.
        const cleaning = new Set<Operation>(['abort', 'clear']);
        s.driver.callFault = (operation, count) => {
          const found = planned.find((one) => one.operation === operation && one.which === count);
          if (!found) return undefined;
          return { when: found.when, error: broken(cleaning.has(operation) ? 'Unavailable' : found.code) };
        };
        const body = bytesOf(length, length);
        const outcome = await put(s, chunked(body, 70));
        const isSuccess = !(outcome instanceof Error);
        const isUnknown = outcome instanceof BlobError && outcome.outcomeUnknown;
        const stored = s.driver.objects.get('k');
        const isNew = stored?.equals(body) ?? false;
        expect({ isSuccess, isNew, isOld: stored?.toString() === 'old' }).toEqual({
          isSuccess,
          isNew: isSuccess || (isNew && (isUnknown || s.driver.calls.includes('finish'))),
          isOld: !isNew,
        });
        expect(s.driver.uploads.size).toBe(0);
        expect(s.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('temporary faults are retried with growing pauses, and logged', async () => {
    const s = scene();
    s.driver.callFault = (operation, count) =>
      operation === 'part' && count <= 4 ? { when: 'before', error: broken() } : undefined;
    await put(s, chunked(bytesOf(150)));
    expect(s.driver.objects.get('k')).toEqual(bytesOf(150));
    const delays = s.records.map(({ fields }) => fields['delayMs']);
    expect(delays.length).toBe(4);
    expect(Math.max(...delays.map(Number))).toBeGreaterThan(250);
  });

  test('a begin whose answer is lost leaves no second upload', async () => {
    const s = scene();
    s.driver.callFault = nth('begin', 1, { when: 'after', error: broken() });
    await put(s, chunked(bytesOf(300)));
    expect(s.driver.uploads.size).toBe(0);
    expect(s.driver.objects.get('k')).toEqual(bytesOf(300));
  });

  test('a begin whose answers are all lost leaves no upload', async () => {
    const s = scene();
    s.driver.callFault = (operation) => (operation === 'begin' ? { when: 'after', error: broken() } : undefined);
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'Unavailable' });
    expect(s.driver.uploads.size).toBe(0);
  });

  test('an upload that comes into being after another was begun in its place is ended', async () => {
    const s = scene();
    s.driver.callFault = nth('begin', 1, { when: 'before', error: broken() });
    s.driver.delay = async (operation) => {
      if (operation === 'finish') s.driver.uploads.set(99, { id: 99, key: 'k', mark: 'late', parts: new Map() });
    };
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ parts: 3 });
    expect(s.driver.uploads.size).toBe(0);
  });

  test('a finish that was done and not answered is a success', async () => {
    const s = scene();
    s.driver.callFault = nth('finish', 1, { when: 'after', error: broken('Timeout') });
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ parts: 3, etag: 'upload 1' });
  });

  describe.each([50, 300])('of %i bytes whose last request is never answered', (length) => {
    const unanswered = (s: ReturnType<typeof scene>, when: CallFault['when'], also?: Operation) => {
      s.driver.callFault = (operation) => {
        if (operation === also) return { when, error: broken() };
        return operation === 'finish' || operation === 'whole' ? { when, error: broken() } : undefined;
      };
      return put(s, chunked(bytesOf(length)));
    };

    test('is looked for, and has failed if the object does not exist', async () => {
      const s = scene();
      expect(await unanswered(s, 'before')).toMatchObject({ code: 'Unavailable', outcomeUnknown: false });
    });

    test('has failed if there is a different object with this key, which stays', async () => {
      const s = scene();
      s.driver.objects.set('k', Buffer.from('older'));
      s.driver.marks.set('k', 'of another put');
      expect(await unanswered(s, 'before')).toMatchObject({ code: 'Unavailable', outcomeUnknown: false });
      expect(s.driver.objects.get('k')?.toString()).toBe('older');
    });

    test('has succeeded if it is there, which is shown by reading it', async () => {
      const s = scene();
      // Also a store that forgets what it has just done.
      s.driver.delay = async (operation) => {
        if (operation === 'finish' && s.driver.objects.has('k')) throw broken();
      };
      expect(await unanswered(s, 'after')).toMatchObject({ bytes: length, proof: 'read-back' });
    });

    test('has an unknown outcome if the store cannot be checked', async () => {
      const s = scene();
      expect(await unanswered(s, 'before', 'stat')).toMatchObject({ code: 'Unavailable', outcomeUnknown: true });
    });
  });

  describe('what the store says that it has stored', () => {
    const told = (checksum: 'same' | 'other' | 'unknown') => {
      const s = scene();
      s.driver.checksum = checksum;
      return s;
    };
    const corrupted = (s: ReturnType<typeof scene>) => {
      s.driver.delay = async (operation) => {
        const stored = s.driver.objects.get('k');
        if (operation === 'stat' && stored) stored[0] = (stored[0] ?? 0) ^ 1;
      };
    };

    test.each([50, 300])('is proven by its checksum, or by reading all %i bytes', async (length) => {
      expect(await put(told('same'), chunked(bytesOf(length)))).toMatchObject({ proof: 'checksum' });
      expect(await put(told('unknown'), chunked(bytesOf(length)))).toMatchObject({ proof: 'read-back' });
      const unread = await put(told('unknown'), chunked(bytesOf(length)), { readBack: false });
      expect(unread).toMatchObject({ proof: 'none' });
    });

    test.each(['other', 'unknown'] as const)('and has not (its checksum: %s) is deleted again', async (checksum) => {
      const s = told(checksum);
      corrupted(s);
      expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'ChecksumMismatch', retryable: true });
      expect(s.driver.objects.has('k')).toBe(false);
    });

    test('must have its length, whatever its checksum', async () => {
      const s = told('same');
      s.driver.delay = async (operation) => {
        const stored = s.driver.objects.get('k');
        if (operation === 'stat' && stored) s.driver.objects.set('k', stored.subarray(1));
      };
      expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'ChecksumMismatch' });
      expect(s.driver.objects.has('k')).toBe(false);
    });

    test('and another has is not deleted', async () => {
      const s = told('same');
      s.driver.delay = async (operation) => {
        if (operation === 'stat') s.driver.marks.set('k', 'of another put');
      };
      expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'Unavailable', outcomeUnknown: true });
      expect(s.driver.objects.has('k')).toBe(true);
    });

    test('may be stored by who may neither look nor read', async () => {
      for (const [checksum, proof] of [
        ['same', 'checksum'],
        ['unknown', 'none'],
      ] as const) {
        const s = told(checksum);
        s.driver.callFault = (operation) =>
          operation === 'stat' || operation === 'read' ? { when: 'before', error: broken('Denied') } : undefined;
        expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ proof });
      }
    });
  });

  test('a key can be settled by reading', async () => {
    const { store } = scene();
    const body = bytesOf(300);
    const expected = { bytes: 300, sha256: sha256(body) };
    expect(await store.settle('k', expected)).toBe('absent');
    await store.put('k', chunked(body));
    expect(await store.settle('k', expected)).toBe('stored');
    await store.put('k', chunked(bytesOf(300, 2)));
    expect(await store.settle('k', expected)).toBe('different');
    await store.put('k', chunked(bytesOf(299)));
    expect(await store.settle('k', expected)).toBe('different');
  });

  test('a finish that is refused has a known outcome', async () => {
    const s = scene();
    s.driver.callFault = nth('finish', 1, { when: 'before', error: broken('Denied') });
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'Denied', outcomeUnknown: false });
  });

  test('an upload that cannot be aborted is logged, and the first error is thrown', async () => {
    const s = scene();
    s.driver.callFault = (operation) => {
      if (operation === 'part') return { when: 'before', error: broken('Denied') };
      return operation === 'abort' ? { when: 'before', error: broken() } : undefined;
    };
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ code: 'Denied' });
    expect(s.records.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(s.clock.monotonic()).toBeLessThanOrEqual(21_000);
  });

  test('a store that does not let uploads be looked for stores, and the log says if one may be left', async () => {
    const s = scene();
    const warnings = () => s.records.filter(({ level }) => level === 'warn');
    s.driver.cleared = 'refused';
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ bytes: 300 });
    expect(warnings()).toEqual([]);
    s.driver.callFault = nth('begin', 2, { when: 'after', error: broken() });
    expect(await put(s, chunked(bytesOf(300)))).toMatchObject({ bytes: 300 });
    expect(warnings()).toHaveLength(1);
    expect(await s.store.clear('k')).toBe('refused');
  });

  test('a part that the store brings in late does not stay', async () => {
    const s = scene();
    s.driver.callFault = (operation) => (operation === 'part' ? { when: 'before', error: broken() } : undefined);
    const abort = s.driver.abort.bind(s.driver);
    let aborts = 0;
    s.driver.abort = async (upload, signal) => {
      await abort(upload, signal);
      aborts += 1;
      if (aborts === 1) s.driver.uploads.set(upload.id, upload);
    };
    await put(s, chunked(bytesOf(300)));
    expect(aborts).toBe(2);
    expect(s.driver.uploads.size).toBe(0);
  });
});

describe('stopping', () => {
  test('while the body sends nothing', async () => {
    const s = scene();
    const stop = new AbortController();
    let isClosed = false;
    async function* body() {
      try {
        yield bytesOf(250);
        await new Promise(() => {});
      } finally {
        isClosed = true;
      }
    }
    const done = s.store.put('k', body(), { signal: stop.signal });
    await settle(20);
    stop.abort(new Error('lease lost'));
    await expect(done).rejects.toMatchObject({ code: 'Aborted', cause: { message: 'lease lost' } });
    expect(s.driver.uploads.size).toBe(0);
    // A waiting generator cannot be closed; that must not delay the caller.
    expect(isClosed).toBe(false);
  });

  test('lets parts under way end, for a while; then they are cut off', async () => {
    const s = scene();
    const stop = new AbortController();
    const ends: number[] = [];
    s.driver.delay = async (operation, signal) => {
      if (operation !== 'part') return;
      await s.clock.sleep(3_600_000, signal).catch(() => ends.push(s.clock.monotonic()));
      signal.throwIfAborted();
    };
    const done = s.store.put('k', chunked(bytesOf(250)), { signal: stop.signal });
    await settle(20);
    stop.abort();
    expect(await settled(s.clock, done)).toMatchObject({ reason: { code: 'Aborted' } });
    expect(Math.max(...ends)).toBe(500);
    expect(s.driver.uploads.size).toBe(0);
  });

  test('between two tries', async () => {
    const s = scene();
    const stop = new AbortController();
    s.driver.callFault = (operation) => (operation === 'whole' ? { when: 'before', error: broken() } : undefined);
    const done = s.store.put('k', chunked(bytesOf(10)), { signal: stop.signal });
    await settle(20);
    expect(s.clock.pendingTimers).toBe(1);
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'Aborted' });
    expect(s.clock.pendingTimers).toBe(0);
  });
});

test('what watches progress may throw', async () => {
  const s = scene();
  const onProgress = () => {
    throw new Error('display broken');
  };
  expect(await put(s, chunked(bytesOf(300)), { onProgress })).toMatchObject({ parts: 3 });
});
