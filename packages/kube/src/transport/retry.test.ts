// SPDX-License-Identifier: Apache-2.0
import { type Random, seededRandom, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { KubeError } from '../kube-error.ts';
import type { KubeObject } from '../object.ts';
import type { Resource } from '../resource.ts';
import { json, type Script, scriptedTransport } from '../testing/scripted-transport.ts';
import { type RetryOptions, withRetry } from './retry.ts';
import type { TransportRequest } from './transport.ts';

const get: TransportRequest = { method: 'GET', path: '/x' };
const lowest: Random = { ...seededRandom(1), next: () => 0 };
const lost = () => Promise.reject(new KubeError('ConnectionLost', 'cut'));

/** Sends one request; the script gives one answer after the other, the last one repeatedly. */
async function run(request: TransportRequest, scripts: readonly Script[], options: RetryOptions = {}) {
  const clock = new VirtualClock();
  const times: number[] = [];
  let next = 0;
  const inner = scriptedTransport((sent) => {
    times.push(clock.monotonic());
    const script = scripts[Math.min(next++, scripts.length - 1)];
    if (!script) throw new Error('no script');
    return script(sent);
  });
  const transport = withRetry(inner, { clock, random: lowest, ...options });
  let result: unknown;
  const done = transport.request(request).then(
    (response) => {
      result = response.status;
    },
    (error: unknown) => {
      result = (error as KubeError).code;
    },
  );
  await clock.advance(600_000);
  await done;
  return { result, times };
}

describe('a read', () => {
  test.each([429, 503])('is sent again after %i with growing pauses', async (status) => {
    const { result, times } = await run(get, [() => json({}, status), () => json({}, status), () => json({})]);
    expect({ result, times }).toEqual({ result: 200, times: [0, 100, 300] });
  });

  test('is sent again after a lost connection', async () => {
    expect(await run(get, [lost, () => json({})])).toEqual({ result: 200, times: [0, 100] });
  });

  test('waits as long as the server asks for, in seconds or until a date', async () => {
    const seconds = await run(get, [() => json({}, 429, { 'retry-after': '7' }), () => json({})]);
    expect(seconds.times).toEqual([0, 7000]);
    const date = 'Thu, 01 Jan 2026 00:00:05 GMT';
    const until = await run(get, [() => json({}, 503, { 'retry-after': date }), () => json({})]);
    expect(until.times).toEqual([0, 5000]);
  });

  test('is not retried when the server asks for more than the longest pause', async () => {
    const { result, times } = await run(get, [() => json({}, 429, { 'retry-after': '3600' })]);
    expect({ result, times }).toEqual({ result: 429, times: [0] });
  });

  test('ends after the last attempt, with the last outcome', async () => {
    expect((await run(get, [() => json({}, 503)])).result).toBe(503);
    expect(await run(get, [lost], { attempts: 3 })).toEqual({ result: 'ConnectionLost', times: [0, 100, 300] });
  });

  test.each([404, 409, 500, 504])('is not sent again after %i', async (status) => {
    expect(await run(get, [() => json({}, status)])).toEqual({ result: status, times: [0] });
  });

  test('is not sent again after a timeout or an abortion', async () => {
    for (const code of ['Timeout', 'Aborted', 'Configuration'] as const) {
      const failing = () => Promise.reject(new KubeError(code, 'x'));
      expect(await run(get, [failing])).toEqual({ result: code, times: [0] });
    }
  });

  test('stops waiting when it is aborted', async () => {
    const controller = new AbortController();
    const answers: Script[] = [
      () => {
        queueMicrotask(() => controller.abort());
        return json({}, 503, { 'retry-after': '20' });
      },
      ({ signal }) => (signal?.aborted ? Promise.reject(new KubeError('Aborted', 'x')) : json({})),
    ];
    const { result, times } = await run({ ...get, signal: controller.signal }, answers);
    expect({ result, times }).toEqual({ result: 'Aborted', times: [0, 0] });
  });

  test('reports each repetition', async () => {
    const retries: unknown[] = [];
    await run(get, [() => json({}, 503), lost, () => json({})], {
      onRetry: ({ attempt, delay, cause }) =>
        retries.push([attempt, delay, cause instanceof KubeError ? cause.code : cause]),
    });
    expect(retries).toEqual([
      [1, 100, 503],
      [2, 200, 'ConnectionLost'],
    ]);
  });
});

describe('a write', () => {
  const things: Resource<KubeObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
  const key = { name: 'a' };
  const versioned: KubeObject = { metadata: { name: 'a', resourceVersion: '1' } };
  const bare: KubeObject = { metadata: { name: 'a' } };

  async function attempts(call: (client: ReturnType<ReturnType<typeof createClient>['resource']>) => Promise<unknown>) {
    const clock = new VirtualClock();
    const inner = scriptedTransport(() => json({}, 503));
    const client = createClient(withRetry(inner, { clock, attempts: 3 })).resource(things);
    const done = call(client).catch(() => undefined);
    await clock.advance(60_000);
    await done;
    return inner.requests.length;
  }

  test('with a precondition is sent again', async () => {
    const merge = { type: 'merge', patch: versioned } as const;
    const tested = {
      type: 'json',
      operations: [{ op: 'test', path: '/metadata/resourceVersion', value: '1' }],
    } as const;
    expect(await attempts((client) => client.replace(versioned))).toBe(3);
    expect(await attempts((client) => client.patch(key, merge))).toBe(3);
    expect(await attempts((client) => client.patch(key, tested))).toBe(3);
    expect(await attempts((client) => client.delete(key, { preconditions: { uid: 'u' } }))).toBe(3);
    expect(await attempts((client) => client.status.replace(key, versioned))).toBe(3);
    expect(await attempts((client) => client.status.patch(key, merge))).toBe(3);
    expect(await attempts((client) => client.status.apply(key, versioned, { fieldManager: 'm' }))).toBe(3);
    expect(await attempts((client) => client.apply(versioned, { fieldManager: 'm' }))).toBe(3);
  });

  test('without one is sent once', async () => {
    const merge = { type: 'merge', patch: { spec: {} } } as const;
    const untested = { type: 'json', operations: [{ op: 'remove', path: '/metadata/resourceVersion' }] } as const;
    expect(await attempts((client) => client.create(versioned))).toBe(1);
    expect(await attempts((client) => client.replace(bare))).toBe(1);
    expect(await attempts((client) => client.patch(key, merge))).toBe(1);
    expect(await attempts((client) => client.patch(key, untested))).toBe(1);
    expect(await attempts((client) => client.apply(bare, { fieldManager: 'm' }))).toBe(1);
    expect(await attempts((client) => client.delete(key))).toBe(1);
    expect(await attempts((client) => client.subresource('eviction').create(key, versioned))).toBe(1);
  });
});

describe('the fence of a request', () => {
  test('is asked before each attempt: what may not be sent any more is not sent again', async () => {
    let asked = 0;
    const fence = () => {
      if (asked++ === 2) throw new Error('this process does not hold the lease');
    };
    const put: TransportRequest = { method: 'PUT', path: '/x', repeatable: true, fence };
    expect(await run(put, [() => json({}, 503)])).toEqual({ result: 'Aborted', times: [0, 100] });
  });
});

describe('what a caller learns of repetitions', () => {
  const things: Resource<KubeObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };

  test('a client repeats only if it was made to, its type says so, and its errors say how often', async () => {
    const clock = new VirtualClock();
    const busy = scriptedTransport(() => json({ kind: 'Status', reason: 'ServiceUnavailable', message: 'busy' }, 503));
    const plain = createClient(busy, { clock });
    await expect(plain.resource(things).get({ name: 'x' })).rejects.toMatchObject({
      attempts: 1,
      message: expect.not.stringContaining('sent'),
    });
    const repeating: { readonly repeats: true } & Client = createClient(busy, { clock, retry: { attempts: 3 } });
    expect([plain.repeats, repeating.repeats]).toEqual([undefined, true]);
    const failed = repeating.resource(things).get({ name: 'x' });
    failed.catch(() => undefined);
    await clock.advance(60_000);
    await expect(failed).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      attempts: 3,
      message: expect.stringContaining('(sent 3 times)'),
    });
    expect(busy.requests).toHaveLength(4);
  });

  test('a write whose answer was lost and which is refused when sent again is of unknown outcome, not a conflict', async () => {
    for (const [method, status] of [
      ['PUT', 409],
      ['DELETE', 404],
      ['PATCH', 422],
    ] as const) {
      const write: TransportRequest = { method, path: '/x', repeatable: true };
      expect((await run(write, [lost, () => json({}, status)])).result).toBe('ConnectionLost');
      expect((await run(write, [() => json({}, 503), () => json({}, status)])).result).toBe(status);
    }
    expect((await run(get, [lost, () => json({}, 404)])).result).toBe(404);
  });
});
