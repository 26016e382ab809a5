// SPDX-License-Identifier: Apache-2.0
import { seededRandom, settle, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BlobError } from '../blob-error.ts';
import type { ByteRange } from '../blob-store.ts';
import { Attempts } from '../call/attempts.ts';
import type { ReadRequest, ReadResponse } from '../store-driver.ts';
import { bytesOf, collect } from '../testing/bodies.ts';
import { readBlob } from './read-blob.ts';

type Body = (bytes: Buffer) => AsyncIterable<Uint8Array>;

/** A store with one object, whose nth answer has this body. */
function scene(object: Buffer, bodies: readonly Body[]) {
  const clock = new VirtualClock();
  const attempts = new Attempts({ clock, random: seededRandom(1) }, (thrown) => {
    return thrown instanceof BlobError ? thrown : new BlobError('Unavailable', String(thrown));
  });
  const requests: ReadRequest[] = [];
  const s = { answer: (response: ReadResponse, _nth: number) => response };
  const driver = {
    read: async (request: ReadRequest): Promise<ReadResponse> => {
      requests.push(request);
      const { offset, length } = request;
      const bytes = object.subarray(offset, length === undefined ? undefined : offset + length);
      const body = bodies[requests.length - 1] ?? sound;
      const range = { start: offset, total: object.byteLength, isTold: true };
      return s.answer({ range, etag: 'first', body: body(bytes) }, requests.length);
    },
    stat: async (key: string) => ({ key, bytes: object.byteLength, modifiedAt: 0, etag: 'first' }),
  };
  const read = (range: ByteRange = { offset: 0 }, signal?: AbortSignal) =>
    readBlob({ driver, attempts }, 'k', range, signal);
  return Object.assign(s, { clock, requests, read });
}

async function* sound(bytes: Buffer) {
  if (bytes.byteLength > 0) yield bytes;
}

/** Breaks after this many bytes: with an error, or with a normal end. */
function cut(after: number, isStalled: boolean): Body {
  return async function* (bytes) {
    if (after > 0) yield bytes.subarray(0, after);
    if (!isStalled) throw new Error('connection reset');
  };
}

/** The error of a rejected promise. */
function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Advances virtual time until a promise has settled. */
async function underTime<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  const [result] = await Promise.all([promise, clock.advance(600_000)]);
  return result;
}

describe('a read', () => {
  test('gives every byte once, in order, however often it is cut', async () => {
    const object = bytesOf(1_000);
    const cuts = fc.array(fc.record({ after: fc.nat(400), isStalled: fc.boolean() }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        cuts,
        fc.nat(1_200),
        fc.option(fc.nat(1_200), { nil: undefined }),
        async (planned, offset, length) => {
          const s = scene(
            object,
            planned.map(({ after, isStalled }) => cut(after, isStalled)),
          );
          const range = { offset, ...(length === undefined ? {} : { length }) };
          const expected = object.subarray(offset, length === undefined ? undefined : offset + length);
          expect(await underTime(s.clock, collect(s.read(range)))).toEqual(expected);
          expect(s.clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('asks for the same object when it goes on', async () => {
    const s = scene(bytesOf(100), [cut(40, false)]);
    await underTime(s.clock, collect(s.read()));
    expect(s.requests).toEqual([
      { key: 'k', offset: 0, length: undefined, etag: undefined },
      { key: 'k', offset: 40, length: 60, etag: 'first' },
    ]);
  });

  test('fails after too many faults without much between them', async () => {
    const s = scene(
      bytesOf(100),
      Array.from({ length: 20 }, () => cut(1, false)),
    );
    expect(await underTime(s.clock, failure(collect(s.read())))).toMatchObject({ code: 'Unavailable' });
    expect(s.requests).toHaveLength(8);
  });

  test('a connection that is idle for too long is replaced by another one', async () => {
    async function* stalled(bytes: Buffer) {
      yield bytes.subarray(0, 10);
      await new Promise(() => {});
    }
    const s = scene(bytesOf(100), [stalled]);
    expect(await underTime(s.clock, collect(s.read()))).toEqual(bytesOf(100));
    expect(s.requests).toHaveLength(2);
  });

  test('takes no more than was asked for', async () => {
    async function* more(bytes: Buffer) {
      yield Buffer.concat([bytes, bytes]);
      throw new Error('nobody should have asked for this');
    }
    const s = scene(bytesOf(10), [more]);
    expect(await underTime(s.clock, collect(s.read({ offset: 2, length: 5 })))).toEqual(bytesOf(10).subarray(2, 7));
    expect(s.requests).toHaveLength(1);
  });

  test.each<[string, Partial<ReadResponse>]>([
    ['from another byte', { range: { start: 0, total: 100, isTold: true } }],
    ['of an object of another length, after a cut', { range: { start: 40, total: 90, isTold: true } }],
    ['of another object of the same length, after a cut', { etag: 'second' }],
    ['that nothing comes any more, after a cut', { range: undefined }],
    ['of a part as if it were all', { range: { start: 40, total: 60, isTold: false } }],
  ])('does not take an answer %s', async (_title, wrong) => {
    const s = scene(bytesOf(100), [cut(40, false)]);
    s.answer = (response, nth) => (nth === 1 ? response : { ...response, ...wrong });
    expect(await underTime(s.clock, failure(collect(s.read())))).toMatchObject({ code: 'Unavailable' });
    expect(s.requests).toHaveLength(8);
  });

  test('does not take a part for all of it', async () => {
    const s = scene(bytesOf(100), []);
    s.answer = (response) => ({ ...response, range: { start: 0, total: 60, isTold: false } });
    expect(await underTime(s.clock, failure(collect(s.read())))).toMatchObject({ code: 'Unavailable' });
  });

  test('goes on after an answer that is shorter than what was asked for', async () => {
    const s = scene(bytesOf(100), [(bytes) => sound(bytes.subarray(0, 30)), (bytes) => sound(bytes.subarray(0, 30))]);
    expect(await underTime(s.clock, collect(s.read()))).toEqual(bytesOf(100));
    expect(s.requests.map(({ offset }) => offset)).toEqual([0, 30, 60]);
  });

  test('that trickles fails, however regularly bytes come', async () => {
    let started: VirtualClock | undefined;
    async function* trickle(bytes: Buffer) {
      for (const byte of bytes) {
        await started?.sleep(500);
        yield Buffer.from([byte]);
      }
    }
    const s = scene(
      bytesOf(100_000),
      Array.from({ length: 8 }, () => trickle),
    );
    started = s.clock;
    const outcome = await underTime(s.clock, failure(collect(s.read())));
    expect(outcome).toMatchObject({
      code: 'Timeout',
      message: 'reading k: the backup store sent less than 128 KiB/s for 30 s',
    });
  });

  test('a slow reader does not count as an idle connection', async () => {
    async function* slices(bytes: Buffer) {
      for (let at = 0; at < bytes.byteLength; at += 10) yield bytes.subarray(at, at + 10);
    }
    const s = scene(bytesOf(50), [slices]);
    const reader = s.read()[Symbol.asyncIterator]();
    for (let chunk = 0; chunk < 5; chunk++) {
      expect((await reader.next()).done).toBe(false);
      await s.clock.advance(3_600_000);
    }
    expect((await reader.next()).done).toBe(true);
    expect(s.requests).toHaveLength(1);
  });

  test('that the caller stops ends at once', async () => {
    const stop = new AbortController();
    const s = scene(
      bytesOf(10),
      Array.from({ length: 8 }, () => cut(0, false)),
    );
    const done = collect(s.read({ offset: 0 }, stop.signal));
    await settle();
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'Aborted' });
    expect(s.clock.pendingTimers).toBe(0);
  });
});
