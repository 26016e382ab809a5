// SPDX-License-Identifier: Apache-2.0
import { settle, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../resource.ts';
import { pieces, scriptedTransport, stallAfter } from '../testing/scripted-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { WatchOptions } from './client.ts';
import { createClient } from './create-client.ts';
import type { WatchEvent } from './watch-event.ts';

const nodes: Resource = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const added = { type: 'ADDED', object: { metadata: { name: 'ä€😀', resourceVersion: '1' }, unknown: [1] } };
const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

/** The events of a watch up to its end, and the error it ended with. */
async function run(transport: Transport, options: WatchOptions = {}, clock = new VirtualClock()) {
  const events: WatchEvent<object>[] = [];
  try {
    for await (const event of createClient(transport, { clock, maxEventBytes: 1000 }).resource(nodes).watch(options)) {
      events.push(event);
    }
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

const answering = (...parts: Uint8Array[]) =>
  scriptedTransport(() => ({ status: 200, headers: {}, body: pieces(...parts) }));

describe('the request', () => {
  test('is a streaming one that asks for bookmarks', async () => {
    const transport = answering();
    await run(transport, { resourceVersion: '5', timeoutSeconds: 60, labelSelector: 'a' });
    expect(transport.requests).toMatchObject([
      {
        method: 'GET',
        streaming: true,
        path: '/api/v1/nodes?watch=true&labelSelector=a&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=60',
      },
    ]);
  });

  test('for a streaming list carries the match the server wants with it', async () => {
    const transport = answering();
    await run(transport, { sendInitialEvents: true });
    expect(transport.requests[0]?.path).toContain('resourceVersionMatch=NotOlderThan&sendInitialEvents=true');
  });
});

describe('events', () => {
  test('arrive whole however the bytes are cut, inside characters too', async () => {
    const bytes = Buffer.concat([line(added), Buffer.from('\n'), line(added), line(added)]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const parts = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
        expect(await run(answering(...parts))).toEqual({ events: [added, added, added], error: undefined });
      }),
      { numRuns: 200 },
    );
  });

  test('that are bookmarks give the version and the end of a streaming list', async () => {
    const bookmark = (annotations: object) => ({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '8', annotations } },
    });
    const { events } = await run(
      answering(line(bookmark({})), line(bookmark({ 'k8s.io/initial-events-end': 'true' }))),
    );
    expect(events).toEqual([
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: true },
    ]);
  });

  test.each([
    [{ code: 410, reason: 'Expired' }, 'Expired'],
    [{ code: 410, reason: 'Gone' }, 'Gone'],
    [{ code: 410 }, 'Gone'],
    [{ code: 500, reason: 'InternalError' }, 'InternalError'],
    [{ code: 418, reason: 'Teapot' }, 'Unknown'],
  ])('that are an ERROR with %j end the watch with code %s', async (status, code) => {
    const result = await run(answering(line(added), line({ type: 'ERROR', object: { kind: 'Status', ...status } })));
    expect(result.events).toEqual([added]);
    expect(result.error).toMatchObject({ name: 'KubeError', code, httpStatus: status.code, status });
  });

  test.each([
    ['garbage', Buffer.from('not json\n')],
    ['half an event at the end', line(added).subarray(0, 20)],
    ['a whole event without its newline', line(added).subarray(0, -1)],
    ['no object', line({ type: 'ADDED' })],
    ['no metadata', line({ type: 'ADDED', object: {} })],
    ['an unknown type', line({ type: 'EXPLODED', object: { metadata: {} } })],
    ['a bookmark without version', line({ type: 'BOOKMARK', object: { metadata: {} } })],
    ['an ERROR without Status', line({ type: 'ERROR', object: {} })],
    ['null', line(null)],
    ['an event beyond the limit', Buffer.alloc(2000, 0x20)],
  ])('followed by %s end with BadResponse', async (_, bytes) => {
    const result = await run(answering(line(added), bytes));
    expect(result.events).toEqual([added]);
    expect(result.error).toMatchObject({ code: 'BadResponse', request: { method: 'GET' } });
  });
});

describe('the end', () => {
  test('of a stream between two events is quiet', async () => {
    expect(await run(answering(line(added)))).toEqual({ events: [added], error: undefined });
  });

  test('by a lost connection is ConnectionLost', async () => {
    async function* lost() {
      yield line(added);
      throw new Error('socket hang up');
    }
    const result = await run(scriptedTransport(() => ({ status: 200, headers: {}, body: lost() })));
    expect(result).toMatchObject({ events: [added], error: { code: 'ConnectionLost' } });
  });

  test('by refusal is what the server says', async () => {
    const gone = JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
    const result = await run(scriptedTransport(() => ({ status: 410, headers: {}, body: pieces(Buffer.from(gone)) })));
    expect(result.error).toMatchObject({ code: 'Expired', httpStatus: 410, message: 'GET /api/v1/nodes: too old' });
  });

  test('by the caller is Aborted, with the reason as cause', async () => {
    const controller = new AbortController();
    const transport = scriptedTransport(({ signal }) => ({
      status: 200,
      headers: {},
      body: stallAfter(signal, line(added)),
    }));
    const done = run(transport, { signal: controller.signal, idleTimeout: 1000 });
    await settle();
    controller.abort('enough');
    expect(await done).toMatchObject({ events: [added], error: { code: 'Aborted', cause: 'enough' } });
  });

  test('leaving the loop returns the body, so that the connection is given back', async () => {
    let returned = false;
    async function* body() {
      try {
        yield line(added);
        yield line(added);
      } finally {
        returned = true;
      }
    }
    const clock = new VirtualClock();
    const client = createClient(
      scriptedTransport(() => ({ status: 200, headers: {}, body: body() })),
      { clock },
    );
    for await (const _ of client.resource(nodes).watch({ idleTimeout: 10 })) break;
    expect(returned).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the idle limit', () => {
  test('ends an idle watch with WatchIdle, counted from the last piece', async () => {
    const clock = new VirtualClock();
    async function* body(signal: AbortSignal | undefined) {
      yield line(added);
      await clock.sleep(900);
      yield line(added).subarray(0, 5);
      yield* stallAfter(signal);
    }
    const transport = scriptedTransport(({ signal }) => ({ status: 200, headers: {}, body: body(signal) }));
    let result: Awaited<ReturnType<typeof run>> | undefined;
    const done = run(transport, { idleTimeout: 1000 }, clock).then((value) => {
      result = value;
    });
    await clock.advance(1899);
    expect(result).toBeUndefined();
    await clock.advance(1);
    await done;
    expect(result).toMatchObject({ events: [added], error: { code: 'WatchIdle' } });
    expect(clock.pendingTimers).toBe(0);
  });

  test('covers the time before the first byte', async () => {
    const clock = new VirtualClock();
    const transport = scriptedTransport(({ signal }) => clock.sleep(99_999, signal).then(() => Promise.reject()));
    const done = run(transport, { idleTimeout: 1000 }, clock);
    await clock.advance(1000);
    expect((await done).error).toMatchObject({ code: 'WatchIdle' });
  });

  test('does not count while the consumer is busy', async () => {
    const clock = new VirtualClock();
    const client = createClient(answering(line(added), line(added)), { clock });
    let count = 0;
    const done = (async () => {
      for await (const _ of client.resource(nodes).watch({ idleTimeout: 1000 })) {
        count++;
        await clock.sleep(60_000);
      }
    })();
    await clock.advance(120_000);
    await done;
    expect(count).toBe(2);
  });
});
