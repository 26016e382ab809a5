// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@etcd-operator/ports';
import { expect, test } from 'vitest';
import { json, scriptedTransport } from '../testing/scripted-transport.ts';
import { withRateLimit } from './rate-limit.ts';

function limited(requestsPerSecond: number, burst?: number) {
  const clock = new VirtualClock();
  const times: number[] = [];
  const inner = scriptedTransport(() => {
    times.push(clock.monotonic());
    return json({});
  });
  return { clock, times, transport: withRateLimit(inner, { requestsPerSecond, clock, ...(burst ? { burst } : {}) }) };
}

test('a burst goes at once, the rest at the rate', async () => {
  const { clock, times, transport } = limited(10, 3);
  const all = Array.from({ length: 6 }, () => transport.request({ method: 'GET', path: '/' }));
  await clock.advance(1000);
  await Promise.all(all);
  expect(times).toEqual([0, 0, 0, 100, 200, 300]);
});

test('the burst is refilled with time, and no more than that', async () => {
  const { clock, times, transport } = limited(10, 2);
  await transport.request({ method: 'GET', path: '/' });
  await clock.advance(60_000);
  const all = Array.from({ length: 4 }, () => transport.request({ method: 'GET', path: '/' }));
  await clock.advance(1000);
  await Promise.all(all);
  expect(times).toEqual([0, 60_000, 60_000, 60_100, 60_200]);
});

test('who gives up waiting gives the turn back', async () => {
  const { clock, times, transport } = limited(1, 1);
  const controller = new AbortController();
  await transport.request({ method: 'GET', path: '/' });
  const given = transport.request({ method: 'GET', path: '/', signal: controller.signal });
  controller.abort();
  await expect(given).rejects.toMatchObject({ code: 'Aborted' });
  const next = transport.request({ method: 'GET', path: '/' });
  await clock.advance(1000);
  await next;
  expect(times).toEqual([0, 1000]);
});
