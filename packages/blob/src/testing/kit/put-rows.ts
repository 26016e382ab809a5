// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { BlobError } from '../../blob-error.ts';
import { all, bytesOf, chunked, collect } from '../bodies.ts';
import { type Answer, corrupted, type Fault } from '../fault-proxy.ts';
import { either, failure, only, type Plan, quickRetries, type RequestKind, type Scene } from './kit-subject.ts';
import type { KitRow } from './kit-table.ts';

type Rows<Row extends KitRow> = Readonly<Record<Row, (scene: () => Scene) => void>>;

const passing: readonly Fault[] = [
  { kind: 'cut-before' },
  { kind: 'cut-upload' },
  { kind: 'cut-after' },
  { kind: 'answer', answer: { status: 500, body: 'internal error' } },
  { kind: 'answer', answer: { status: 503, headers: { 'retry-after': '0' } } },
];

const titled = (faults: readonly Fault[]) =>
  faults.map((fault) => [fault.kind === 'answer' ? `HTTP ${fault.answer.status}` : fault.kind, fault] as const);

/** A proxy in front of a store sometimes answers with a success status. */
export const hollow: readonly (readonly [string, Answer])[] = [
  ['HTML', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Welcome</body></html>' }],
  ['nothing', { status: 200 }],
  ['an empty object of JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }],
  [
    'an error in XML',
    {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>We failed</Message></Error>',
    },
  ],
];

const stored = { proof: expect.stringMatching(/checksum|read-back/) };

export const putRows: Rows<
  | 'cut at any request of a put'
  | 'cut or refused at every part'
  | 'answers to parts lost'
  | 'finish never arrives'
  | 'finish done, its answers lost'
  | 'no answer at all'
  | 'byte changed on the way there'
  | 'store without checksums'
  | 'store takes nothing (308 without progress)'
  | 'look denied (403 on HEAD)'
  | 'look tells another length'
  | 'credentials expire'
  | 'refused, throttled, skewed, full'
  | 'redirect'
  | 'error without end'
  | 'clean-up fails'
  | 'looking for unfinished uploads denied'
> = {
  'cut at any request of a put': (scene) => {
    test.each(titled(passing))('%s', async (_title, fault) => {
      let requests = 1;
      for (let at = 1; at <= requests; at++) {
        let seen = 0;
        const result = await scene().put(({ index }) => {
          seen = index;
          return index === at ? fault : undefined;
        });
        expect(result).toMatchObject({ parts: 3, ...stored });
        // Counts the requests of a put as they are seen: one round is made for each of them.
        requests = Math.max(requests, Math.min(9, seen - 1));
      }
      expect(requests).toBeGreaterThanOrEqual(5);
    });
  },

  'cut or refused at every part': (scene) => {
    const fatal = passing.filter(({ kind }) => kind !== 'cut-after');
    test.each(titled(fatal))('%s', async (_title, fault) => {
      const error = await scene().put(scene().at('part', fault));
      expect(error).toMatchObject({ code: expect.stringMatching(/Unavailable|Throttled/), retryable: true });
    });
  },

  'answers to parts lost': (scene) => {
    test('always', async () => {
      // Whether this succeeds depends on the store. `put` checks that the outcome is true.
      const outcome = await scene().put(scene().at('part', { kind: 'cut-after' }));
      expect(outcome).toBeDefined();
    });
  },

  'finish never arrives': (scene) => {
    test('always', async () => {
      const error = await scene().put(scene().at('finish', { kind: 'cut-before' }));
      expect(error).toMatchObject({ code: 'Unavailable', outcomeUnknown: false });
    });
  },

  'finish done, its answers lost': (scene) => {
    test.each(['finish', 'whole'] as const)('always, of %s', async (kind) => {
      const body = kind === 'whole' ? { body: bytesOf(1_000) } : {};
      expect(await scene().put(scene().at(kind, { kind: 'cut-after' }), body)).toMatchObject(stored);
    });
  },

  'no answer at all': (scene) => {
    test.each(['part', 'finish', 'look'] as const)('to the first %s', async (kind) => {
      expect(await scene().put(only(1, scene().at(kind, { kind: 'stall' })))).toMatchObject(stored);
    });
  },

  'byte changed on the way there': (scene) => {
    const nth =
      (number: number): ((seen: number) => Fault | undefined) =>
      (seen) =>
        seen === number ? { kind: 'corrupt' } : undefined;
    test.each([1, 2, 3])('in part %i', async (number) => {
      let parts = 0;
      const { put, kindOf, checks } = scene();
      const outcome = await put((request) => {
        const kind = kindOf(request);
        if (kind === 'part' || (kind === 'finish' && checks === 'objects')) parts += 1;
        return kind === 'part' || kind === 'finish' ? nth(number)(parts) : undefined;
      });
      expect(outcome).toMatchObject({ parts: stored, objects: { code: 'ChecksumMismatch', retryable: true } }[checks]);
    });

    test('in a small object', async () => {
      const { put, at } = scene();
      expect(await put(only(1, at('whole', { kind: 'corrupt' })), { body: bytesOf(1_000) })).toMatchObject(stored);
    });
  },

  'store without checksums': (scene) => {
    const changed: Fault = { kind: 'alter', alter: ({ body, ...answer }) => ({ ...answer, body: corrupted(body) }) };
    const body = { one: bytesOf(1_000), several: undefined };
    test.each(['one', 'several'] as const)('is read back, in %s parts', async (size) => {
      const { put, withoutChecksums, open, at } = scene();
      const options = { store: await open(), ...(body[size] && { body: body[size] }) };
      expect(await put(withoutChecksums, options)).toMatchObject({ proof: 'read-back' });
      const once = either(withoutChecksums, only(1, at('read', changed)));
      expect(await put(once, options)).toMatchObject({ proof: 'read-back' });
      const always = either(withoutChecksums, at('read', changed));
      expect(await put(always, options)).toMatchObject({ code: 'ChecksumMismatch', retryable: true });
      options.store.close();
    });
  },

  'store takes nothing (308 without progress)': (scene) => {
    test('at any part', async () => {
      let sent = 0;
      const error = await scene().put((request) => {
        if (request.method !== 'PUT') return undefined;
        sent += 1;
        return { kind: 'answer', answer: { status: 308 } };
      });
      expect(error).toMatchObject({ code: 'Unavailable' });
      expect(sent).toBeLessThanOrEqual(3 * (quickRetries.attempts ?? 0));
    });
  },

  'look denied (403 on HEAD)': (scene) => {
    const denied: Fault = { kind: 'answer', answer: { status: 403 } };
    test('a put is stored, and a check uses a read', async () => {
      const { put, at, store, direct, proxy, looksApart } = scene();
      expect(await put(at('look', denied))).toMatchObject(stored);
      for (const [key, bytes] of [
        ['denied/empty', 0],
        ['denied/full', 1_000],
      ] as const) {
        await direct.put(key, chunked(bytesOf(bytes)));
        proxy.expect(at('look', denied));
        const read = () => collect(store.get(key, { offset: 0, length: 10 }));
        // An empty answer for an empty object is accepted after a check.
        const length = looksApart || bytes > 0 ? (await read()).length : 0;
        expect(length).toBe(Math.min(10, bytes));
        const looked = await (looksApart ? store.stat(key) : failure(store.stat(key)));
        expect(looked).toMatchObject(looksApart ? { key, bytes } : { code: 'Denied' });
      }
      proxy.expect((request) => at('look', denied)(request) ?? at('read', denied)(request));
      expect(await failure(store.stat('denied/full'))).toMatchObject({ code: 'Denied', retryable: false });
      // Without permission to read, the result says that nothing was verified.
      proxy.expect(either(at('look', denied), at('read', denied)));
      expect(await store.put('denied/all', chunked(bytesOf(1_000)))).toHaveProperty('proof');
    });
  },

  'look tells another length': (scene) => {
    const longer = (text: string) => String(Number(text) + 1);
    const lie: Fault = {
      kind: 'alter',
      alter: ({ status, headers, body }) => {
        const length = headers['content-length'] ?? '';
        const text = body.toString().replace(/("size": ?")(\d+)/, (_all, name, size) => name + longer(size));
        return { status, headers: { ...headers, 'content-length': longer(length) }, body: text };
      },
    };
    test('is settled by reading', async () => {
      expect(await scene().put(scene().at('look', lie))).toMatchObject({ proof: 'read-back' });
    });
  },

  'credentials expire': (scene) => {
    test('in the middle of a put', async () => {
      const { put, at, expired } = scene();
      const error = await put(at('part', { kind: 'answer', answer: expired }));
      expect(error).toMatchObject({ code: 'Expired', retryable: false });
    });
  },

  'refused, throttled, skewed, full': (scene) => {
    test('every answer that the store is known to give', async () => {
      for (const { title, answer, code, retryable } of scene().refusals) {
        const refused = new Map<string, number>();
        const error = await scene().put((request) => {
          if (scene().kindOf(request) !== 'part') return undefined;
          refused.set(request.url, (refused.get(request.url) ?? 0) + 1);
          return { kind: 'answer', answer };
        });
        expect({ title, error }).toMatchObject({ title, error: { code, retryable } });
        // A permanent refusal is not retried.
        const times = Math.max(...refused.values());
        expect({ title, times }).toEqual({ title, times: retryable ? quickRetries.attempts : 1 });
      }
    });
  },

  redirect: (scene) => {
    test('at a put, a read and a listing', async () => {
      const hits: string[] = [];
      const other = createServer((request, response) => {
        hits.push(request.url ?? '');
        response.end();
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/stolen`;
      const moved: Fault = { kind: 'answer', answer: { status: 307, headers: { location } } };
      const { put, at, proxy, store } = scene();
      expect(await put(at('part', moved))).toMatchObject({ code: 'Configuration', retryable: false });
      proxy.expect(() => moved);
      expect(await failure(collect(store.get('redirected')))).toBeInstanceOf(BlobError);
      expect(await failure(all(store.list('redirected')))).toMatchObject({ code: 'Configuration' });
      expect(hits).toEqual([]);
      other.closeAllConnections();
      other.close();
    });
  },

  'error without end': (scene) => {
    test.each<RequestKind>(['part', 'read', 'list'])('at %s', async (kind) => {
      const { put, at, store, proxy, boundsReads } = scene();
      const plan = at(kind, { kind: 'endless', status: 503 });
      proxy.expect(plan);
      const asked = { read: () => collect(store.get('endless')), list: () => all(store.list('endless')) };
      const error = kind === 'part' ? await put(plan) : await failure(asked[kind === 'read' ? 'read' : 'list']());
      // A client that reads to the end reaches the time limit.
      expect(error).toMatchObject({ code: kind === 'read' && !boundsReads ? 'Timeout' : 'Unavailable' });
    });
  },

  'clean-up fails': (scene) => {
    test('what was left is swept, and nothing else', async () => {
      const { store, direct, proxy, at, leftovers, partBytes } = scene();
      const key = 'swept/etcd_v1';
      await direct.put(key, chunked(Buffer.from('before')));
      proxy.expect((request) =>
        request.method === 'DELETE' ? { kind: 'cut-before' } : at('part', { kind: 'cut-before' })(request),
      );
      await failure(store.put(key, chunked(bytesOf(partBytes * 2))));
      proxy.expect(() => undefined);
      expect(await leftovers()).toHaveLength(1);
      expect(await store.sweep('swept/other', Date.now() + 60_000)).toBe(0);
      expect(await store.sweep('swept/', Date.now() - 3_600_000)).toBe(0);
      expect(await store.sweep('swept/', Date.now() + 60_000)).toBe(1);
      expect(await leftovers()).toEqual([]);
      expect((await collect(direct.get(key))).toString()).toBe('before');
    });
  },

  'looking for unfinished uploads denied': (scene) => {
    const denied: Plan = ({ method, url }) =>
      method === 'GET' && new URL(url, 'http://store').searchParams.has('uploads')
        ? { kind: 'answer', answer: { status: 403 } }
        : undefined;
    test('a put is stored, and who clears is told that nothing was', async () => {
      const { put, proxy, store } = scene();
      expect(await put(denied)).toMatchObject(stored);
      proxy.expect(denied);
      expect(await store.clear('unlisted/k')).toBe('refused');
      proxy.expect(() => undefined);
      expect(await store.clear('unlisted/k')).toBe('cleared');
    });
  },
};
