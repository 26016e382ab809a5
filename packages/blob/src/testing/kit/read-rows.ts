// SPDX-License-Identifier: Apache-2.0
import { beforeAll, expect, test } from 'vitest';
import type { ByteRange } from '../../blob-store.ts';
import { all, bytesOf, chunked, collect, sha256 } from '../bodies.ts';
import { type Answered, corrupted, type Fault } from '../fault-proxy.ts';
import { failure, only, type Plan, type RequestKind, type Scene } from './kit-subject.ts';
import type { KitRow } from './kit-table.ts';
import { hollow } from './put-rows.ts';

type Rows<Row extends KitRow> = Readonly<Record<Row, (scene: () => Scene) => void>>;

const body = bytesOf(300_000, 8);
const key = 'read/object';

/** A read of the object with a plan. */
async function read({ proxy, store }: Scene, plan: Plan, range?: ByteRange): Promise<Buffer> {
  proxy.expect(plan);
  return collect(store.get(key, range));
}

/** The answer with other bytes, and its headers. */
function bytesFrom(start: number, end: number, said: string | undefined): Fault {
  return {
    kind: 'alter',
    alter: ({ status, headers, body: _ }: Answered) => {
      const { 'content-range': _range, 'content-md5': _sum, ...others } = headers;
      const bytes = body.subarray(start, end);
      if (said === undefined) return { status: 200, headers: others, body: bytes };
      return { status, headers: { ...others, 'content-range': said }, body: bytes };
    },
  };
}

const unavailable = { code: 'Unavailable', retryable: true };
const bad = { code: 'BadListing', retryable: true };

export const readRows: Rows<
  | 'byte changed while reading'
  | 'read cut'
  | 'read cut, then 416'
  | 'range answered in part'
  | 'range from another byte'
  | 'range ignored'
  | 'all of it answered in part'
  | 'trickle'
  | 'object replaced while read'
  | '200 from something else (HTML, empty, JSON, an error in XML)'
  | 'listing repeats a page, runs backwards or has no end'
  | 'listing cut, refused, unanswered'
> = {
  'byte changed while reading': (scene) => {
    test('is noticed by who knows the hash', async () => {
      const { proxy, store, at } = scene();
      const changed: Fault = {
        kind: 'alter',
        alter: ({ body: sent, ...answer }) => ({ ...answer, body: corrupted(sent) }),
      };
      proxy.expect(at('read', changed));
      const options = { sha256: sha256(body) };
      const error = await failure(collect(store.get(key, { offset: 0 }, options)));
      expect(error).toMatchObject({ code: 'ChecksumMismatch', retryable: true });
      proxy.expect(() => undefined);
      expect(await collect(store.get(key, { offset: 0 }, options))).toEqual(body);
    });
  },

  'read cut': (scene) => {
    test.each([0, 1, 100_000, 299_999])('after %i bytes', async (after) => {
      const plan = only(3, scene().at('read', { kind: 'cut-response', after }));
      expect(sha256(await read(scene(), plan))).toBe(sha256(body));
    });

    test('inside a range', async () => {
      const plan = only(1, scene().at('read', { kind: 'cut-response', after: 777 }));
      const bytes = await read(scene(), plan, { offset: 1_000, length: 200_000 });
      expect(sha256(bytes)).toBe(sha256(body.subarray(1_000, 201_000)));
    });

    test('always', async () => {
      const plan = scene().at('read', { kind: 'cut-response', after: 10 });
      expect(await failure(read(scene(), plan))).toMatchObject(unavailable);
    });
  },

  'read cut, then 416': (scene) => {
    const beyond: Fault = { kind: 'answer', answer: { status: 416 } };
    test('in the middle, and at the first byte', async () => {
      const { at } = scene();
      const cut = only(1, at('read', { kind: 'cut-response', after: 1_000 }));
      const plan: Plan = (request) => cut(request) ?? at('read', beyond)(request);
      expect(await failure(read(scene(), plan))).toMatchObject(unavailable);
      expect(await failure(read(scene(), at('read', beyond), { offset: 10 }))).toMatchObject(unavailable);
    });
  },

  'range answered in part': (scene) => {
    test('goes on after it', async () => {
      const plan = only(1, scene().at('read', bytesFrom(100, 110, `bytes 100-109/${body.byteLength}`)));
      expect(await read(scene(), plan, { offset: 100, length: 50 })).toEqual(body.subarray(100, 150));
    });
  },

  'range from another byte': (scene) => {
    test('is not taken', async () => {
      const plan = scene().at('read', bytesFrom(0, 50, `bytes 0-49/${body.byteLength}`));
      expect(await failure(read(scene(), plan, { offset: 100, length: 50 }))).toMatchObject(unavailable);
    });
  },

  'range ignored': (scene) => {
    const everything = bytesFrom(0, body.byteLength, undefined);
    test('no byte more than was asked for', async () => {
      const plan = scene().at('read', everything);
      expect(await read(scene(), plan, { offset: 0, length: 16 })).toEqual(body.subarray(0, 16));
    });

    test('no other byte than was asked for', async () => {
      const plan = scene().at('read', everything);
      expect(await failure(read(scene(), plan, { offset: 100, length: 16 }))).toMatchObject(unavailable);
    });
  },

  'all of it answered in part': (scene) => {
    test('is not taken for all', async () => {
      const plan = scene().at('read', bytesFrom(0, 1_000, undefined));
      expect(await failure(read(scene(), plan))).toMatchObject(unavailable);
    });
  },

  trickle: (scene) => {
    test.each<RequestKind>(['read', 'list'])('of %s', async (kind) => {
      const { at, proxy, store } = scene();
      const plan = at(kind, { kind: 'trickle' });
      proxy.expect(plan);
      const error = await failure(kind === 'read' ? read(scene(), plan) : all(store.list('read/')));
      expect(error).toMatchObject({ code: 'Timeout', retryable: true });
    });
  },

  'object replaced while read': (scene) => {
    test('by another of the same length', async () => {
      const { proxy, store, direct, at } = scene();
      await direct.put('read/replaced', chunked(body));
      proxy.expect(only(1, at('read', { kind: 'cut-response', after: 1_000 })));
      const reading = (async () => {
        for await (const _ of store.get('read/replaced')) {
          await direct.put('read/replaced', chunked(bytesOf(300_000, 99)));
        }
      })();
      expect(await failure(reading)).toMatchObject({ code: 'NotFound' });
    });
  },

  '200 from something else (HTML, empty, JSON, an error in XML)': (scene) => {
    const kinds = ['part', 'finish', 'whole'] as const;
    const bodyOf = (kind: RequestKind) => (kind === 'whole' ? { body: bytesOf(1_000) } : {});

    test.each(hollow)('%s, instead of the store', async (_title, answer) => {
      const { put, at, proxy, store } = scene();
      for (const kind of kinds) {
        const fault: Fault = { kind: 'answer', answer };
        const always = await put(at(kind, fault), bodyOf(kind));
        const once = await put(only(1, at(kind, fault)), bodyOf(kind));
        expect({ kind, always, once }).toMatchObject({
          kind,
          always: { code: expect.anything() },
          once: { proof: expect.anything() },
        });
      }
      proxy.expect(() => ({ kind: 'answer', answer }));
      const asked: (() => Promise<unknown>)[] = [
        () => collect(store.get(key)),
        () => store.stat(key),
        () => all(store.list('read/')),
        ...(answer.body ? [() => store.delete(key)] : []),
      ];
      for (const ask of asked) {
        const error = await failure(ask());
        expect({ ask: String(ask), error }).toMatchObject({ error: { code: expect.anything() } });
      }
    });

    test.each(hollow)('%s, although the store has done it', async (_title, answer) => {
      const { put, at } = scene();
      const fault: Fault = { kind: 'alter', alter: () => answer };
      for (const kind of ['finish', 'whole'] as const) {
        const outcome = await put(at(kind, fault), bodyOf(kind));
        expect({ kind, outcome }).toMatchObject({ kind, outcome: { proof: expect.anything() } });
      }
    });
  },

  'listing repeats a page, runs backwards or has no end': (scene) => {
    const pages = new Map<string, string>();

    beforeAll(async () => {
      const { direct, proxy, store, at } = scene();
      for (const name of ['a1', 'a2', 'b1']) await direct.put(`list/${name}`, chunked(bytesOf(1)));
      for (const prefix of ['list/a', 'list/b', 'list/none']) {
        const kept: Fault = {
          kind: 'alter',
          alter: (answer) => {
            pages.set(prefix, answer.body.toString());
            return answer;
          },
        };
        proxy.expect(at('list', kept));
        await all(store.list(prefix));
      }
    });

    /**
     * The result of a listing with these pages. Every page says that more follow; the last page is repeated forever.
     */
    async function listed(
      ...prefixes: readonly string[]
    ): Promise<{ readonly error: unknown; readonly requests: number }> {
      const { proxy, store, at, continued } = scene();
      let asked = 0;
      proxy.expect((request) => {
        asked += 1;
        const page = pages.get(prefixes[Math.min(asked, prefixes.length) - 1] ?? '') ?? '';
        return at('list', { kind: 'alter', alter: ({ headers }) => ({ status: 200, headers, body: continued(page) }) })(
          request,
        );
      });
      const error = await failure(all(store.list('list/')));
      return { error, requests: asked };
    }

    test('a page that is repeated for ever', async () => {
      const { error, requests } = await listed('list/a');
      expect(error).toMatchObject(bad);
      expect(requests).toBe(2);
    });

    test('a page that comes after a later one', async () => {
      expect((await listed('list/b', 'list/a')).error).toMatchObject(bad);
    });

    test('empty pages for ever', async () => {
      const { error, requests } = await listed('list/none');
      expect(error).toMatchObject(bad);
      expect(requests).toBeLessThanOrEqual(101);
    });

    test('a page of other keys than were asked for', async () => {
      const { proxy, store, at } = scene();
      const other = { status: 200, body: pages.get('list/b') ?? '' };
      proxy.expect(at('list', { kind: 'alter', alter: ({ headers }) => ({ ...other, headers }) }));
      expect(await failure(all(store.list('list/a')))).toMatchObject(bad);
    });
  },

  'listing cut, refused, unanswered': (scene) => {
    test('is waited out, as are looks and deletions', async () => {
      const { proxy, store, direct } = scene();
      await direct.put('small/a', chunked(bytesOf(3)));
      const faults: readonly Fault[] = [
        { kind: 'cut-before' },
        { kind: 'cut-after' },
        { kind: 'answer', answer: { status: 503 } },
      ];
      for (const fault of faults) {
        const once = only(1, () => fault);
        proxy.expect(once);
        expect(await all(store.list('small/'))).toHaveLength(1);
        proxy.expect(only(1, () => fault));
        expect(await store.stat('small/a')).toMatchObject({ bytes: 3 });
        proxy.expect(only(1, () => fault));
        await store.delete('small/none');
      }
    });

    test.each<Fault>([{ kind: 'stall' }, { kind: 'cut-response', after: 20 }])(
      'is never empty: $kind',
      async (fault) => {
        const { proxy, store, at } = scene();
        proxy.expect(at('list', fault));
        expect(await failure(all(store.list('read/')))).toMatchObject({ retryable: true });
      },
    );
  },
};

/** Creates the object for the rows. */
export async function seedReads({ direct }: Scene): Promise<void> {
  await direct.put(key, chunked(body));
}
