// SPDX-License-Identifier: Apache-2.0
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import type { RetryPolicy } from '../call/attempts.ts';
import { all, bytesOf, chunked, collect, sha256 } from './bodies.ts';
import type { Answer, Fault, FaultProxy, ProxiedRequest } from './fault-proxy.ts';

/** A store behind a proxy. */
export interface FaultSubject {
  readonly proxy: FaultProxy;
  /** Through the proxy. */
  readonly store: BlobStore;
  /** Past it. */
  readonly direct: BlobStore;
  readonly partBytes: number;
  readonly leftovers: () => Promise<readonly string[]>;
  /** Must not be found in any error. */
  readonly secrets: readonly string[];
  /** Does this request carry a part, or make an object of parts? */
  readonly isPart: (request: ProxiedRequest) => boolean;
  readonly isFinish: (request: ProxiedRequest) => boolean;
  /** When a wrong bit is noticed: with the part, which is then sent again, or only when all is there. */
  readonly checks: 'parts' | 'objects';
  readonly close: () => Promise<void>;
}

/** What a store answers, and what comes of it. */
export interface RefusalCase {
  readonly title: string;
  readonly answer: Answer;
  readonly code: BlobErrorCode;
  readonly retryable: boolean;
}

/** Many tries, short pauses: the tests are about what happens, not about how long it takes. */
export const quickRetries: RetryPolicy = {
  attempts: 4,
  firstDelayMs: 1,
  maxDelayMs: 5,
  requestTimeoutMs: 2_000,
  slowestBytesPerSecond: 10_000_000,
};

const passing: readonly Fault[] = [
  { kind: 'cut-before' },
  { kind: 'cut-upload' },
  { kind: 'cut-after' },
  { kind: 'answer', answer: { status: 500, body: 'internal error' } },
  { kind: 'answer', answer: { status: 503, headers: { 'retry-after': '0' }, body: '' } },
];

/** What no fault may do, whatever the store: success that is none, something left behind, a secret in an error. */
export function testFaults(open: () => Promise<FaultSubject>, refusals: readonly RefusalCase[]): void {
  let subject: FaultSubject;

  beforeAll(async () => {
    subject = await open();
  });
  afterEach(() => subject.proxy.expect(() => undefined));
  afterAll(() => subject?.close());

  /** A put that must fail; what was there before must be there after it, and nothing else. */
  async function failedPut(key: string, fault: (request: ProxiedRequest) => Fault | undefined): Promise<BlobError> {
    const before = Buffer.from(`before ${key}`);
    await subject.direct.put(key, chunked(before));
    subject.proxy.expect(fault);
    const put = subject.store.put(key, chunked(bytesOf(subject.partBytes * 2 + 1)));
    const error = await put.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof BlobError)) throw new Error(`not a BlobError: ${inspect(error)}`);
    expect(await collect(subject.direct.get(key))).toEqual(before);
    expect((await all(subject.direct.list(key))).map((item) => item.key)).toEqual([key]);
    expect(await subject.leftovers()).toEqual([]);
    expectClean(error, subject.secrets);
    return error;
  }

  describe('a fault that passes, at every single request of a put', () => {
    test.each(passing.map((fault) => [titleOf(fault), fault] as const))('%s', async (title, fault) => {
      const key = `passing/${title}`;
      const body = bytesOf(subject.partBytes * 2 + 1, 5);
      let requests = 1;
      for (let at = 1; at <= requests; at++) {
        subject.proxy.expect(({ index }) => (index === at ? fault : undefined));
        const result = await subject.store.put(key, chunked(body));
        // The first round without its fault would have told how many there are; so many rounds are made.
        requests = Math.max(requests, Math.min(8, subject.proxy.seen.length - 1));
        expect(result).toMatchObject({ bytes: body.byteLength, sha256: sha256(body), parts: 3 });
        expect(sha256(await collect(subject.direct.get(key)))).toBe(sha256(body));
        expect(await subject.leftovers()).toEqual([]);
        await subject.direct.delete(key);
      }
      expect(requests).toBeGreaterThanOrEqual(4);
    });

    test('an answer that never comes', async () => {
      const body = bytesOf(subject.partBytes + 1, 6);
      let stalled = 0;
      subject.proxy.expect((request) => {
        if (!subject.isPart(request) || stalled > 0) return undefined;
        stalled += 1;
        return { kind: 'stall' };
      });
      const { sha256: hash } = await subject.store.put('stalled', chunked(body));
      expect(stalled).toBe(1);
      expect(sha256(await collect(subject.direct.get('stalled')))).toBe(hash);
    });
  });

  describe('a bit that is wrong', () => {
    const onePart = (number: number) => {
      let parts = 0;
      return (request: ProxiedRequest): Fault | undefined => {
        if (!subject.isPart(request)) return undefined;
        parts += 1;
        return parts === number ? { kind: 'corrupt' } : undefined;
      };
    };

    test.each([1, 2, 3])('in part %i never gets into an object that counts', async (number) => {
      const key = `corrupt/${number}`;
      const body = bytesOf(subject.partBytes * 2 + 100, number);
      subject.proxy.expect(onePart(number));
      const outcome = await subject.store.put(key, chunked(body)).catch((thrown: unknown) => thrown);
      const stored = await all(subject.direct.list(key));
      const content = stored.length === 0 ? undefined : sha256(await collect(subject.direct.get(key)));
      const expected = {
        parts: { outcome: { sha256: sha256(body) }, content: sha256(body) },
        objects: { outcome: { code: 'ChecksumMismatch', retryable: false }, content: undefined },
      }[subject.checks];
      expect({ outcome, content }).toMatchObject(expected);
      expect(await subject.leftovers()).toEqual([]);
    });

    test('in a small object is noticed at once, and mended', async () => {
      const body = bytesOf(1_000);
      subject.proxy.expect(({ index }) => (index === 1 ? { kind: 'corrupt' } : undefined));
      await subject.store.put('corrupt/small', chunked(body));
      expect(await collect(subject.direct.get('corrupt/small'))).toEqual(body);
      expect(subject.proxy.seen.length).toBeGreaterThan(1);
    });
  });

  describe('a fault that stays', () => {
    const fatal = passing.filter(({ kind }) => kind !== 'cut-after');

    test.each(fatal.map((fault) => [titleOf(fault), fault] as const))('%s, at every part', async (title, fault) => {
      const error = await failedPut(`staying/${title}`, (request) => (subject.isPart(request) ? fault : undefined));
      expect(['Unavailable', 'Throttled']).toContain(error.code);
      expect(error.retryable).toBe(true);
    });

    test('answers to parts that are always lost', async () => {
      const key = 'staying/lost-answers';
      const body = bytesOf(subject.partBytes * 2 + 1, 4);
      subject.proxy.expect((request) => (subject.isPart(request) ? { kind: 'cut-after' } : undefined));
      const isStored = await subject.store.put(key, chunked(body)).then(
        () => true,
        () => false,
      );
      // A store that can be asked what it has makes it a success; then it must be one.
      const contents = await all(subject.direct.list(key));
      const hashes = await Promise.all(contents.map(async () => sha256(await collect(subject.direct.get(key)))));
      expect(hashes).toEqual(isStored ? [sha256(body)] : []);
      expect(await subject.leftovers()).toEqual([]);
    });

    test('at the request that would finish', async () => {
      const error = await failedPut('staying/finish', (request) =>
        subject.isFinish(request) ? { kind: 'cut-before' } : undefined,
      );
      expect(error).toMatchObject({ code: 'Unavailable', outcomeUnknown: true });
    });

    test.each(refusals)('$title', async ({ answer, code, retryable }) => {
      const refused = new Map<string, number>();
      const error = await failedPut(`refused/${code}`, (request) => {
        if (!subject.isPart(request)) return undefined;
        refused.set(request.url, (refused.get(request.url) ?? 0) + 1);
        return { kind: 'answer', answer };
      });
      expect(error).toMatchObject({ code, retryable });
      // What is refused for good is not asked for again.
      expect(Math.max(...refused.values())).toBe(retryable ? quickRetries.attempts : 1);
    });
  });

  describe('reading', () => {
    const body = bytesOf(300_000, 8);
    const isRead = ({ method }: ProxiedRequest) => method === 'GET';

    beforeAll(() => subject.direct.put('read', chunked(body)));

    test.each([0, 1, 100_000, 299_999])('goes on where it was cut, after %i bytes', async (after) => {
      let cuts = 0;
      subject.proxy.expect((request) => {
        if (!isRead(request) || cuts > 2) return undefined;
        cuts += 1;
        return { kind: 'cut-response', after };
      });
      expect(sha256(await collect(subject.store.get('read')))).toBe(sha256(body));
      expect(cuts).toBeGreaterThan(0);
    });

    test('a range goes on inside the range', async () => {
      subject.proxy.expect(({ index }) => (index === 1 ? { kind: 'cut-response', after: 777 } : undefined));
      const range = { offset: 1_000, length: 200_000 };
      expect(sha256(await collect(subject.store.get('read', range)))).toBe(sha256(body.subarray(1_000, 201_000)));
    });

    test('never ends well with less than all', async () => {
      subject.proxy.expect((request) => (isRead(request) ? { kind: 'cut-response', after: 10 } : undefined));
      const error = await collect(subject.store.get('read')).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'Unavailable', retryable: true });
      expectClean(error, subject.secrets);
    });

    test('never mixes two objects', async () => {
      await subject.direct.put('replaced-while-read', chunked(body));
      let isCut = false;
      subject.proxy.expect((request) => {
        if (!isRead(request) || isCut) return undefined;
        isCut = true;
        return { kind: 'cut-response', after: 1_000 };
      });
      const reading = (async () => {
        for await (const _ of subject.store.get('replaced-while-read')) {
          await subject.direct.put('replaced-while-read', chunked(bytesOf(300_000, 99)));
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'NotFound' });
    });
  });

  test('looking, listing and deleting get over a fault that passes', async () => {
    await subject.direct.put('small/a', chunked(bytesOf(3)));
    for (const fault of passing) {
      subject.proxy.expect(({ index }) => (index === 1 ? fault : undefined));
      expect(await subject.store.stat('small/a')).toMatchObject({ bytes: 3 });
      subject.proxy.expect(({ index }) => (index === 1 ? fault : undefined));
      expect(await all(subject.store.list('small/'))).toHaveLength(1);
      subject.proxy.expect(({ index }) => (index === 1 ? fault : undefined));
      await subject.store.delete('small/none');
    }
  });
}

/** Nothing that can be reached from an error may hold a secret, in any of the forms that it goes over the wire in. */
export function expectClean(error: unknown, secrets: readonly string[]): void {
  const text = inspect(error, { depth: 30, showHidden: true, maxStringLength: 100_000, maxArrayLength: 10_000 });
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    expect(text).not.toContain(encodeURIComponent(secret));
  }
  expect(text).not.toMatch(/Bearer |Signature=|AWS4-HMAC|SharedKey /);
}

function titleOf(fault: Fault): string {
  return fault.kind === 'answer' ? `HTTP ${fault.answer.status}` : fault.kind;
}
