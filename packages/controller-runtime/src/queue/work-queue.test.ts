// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { MetricRegistry } from '../metrics/registry.ts';
import { exponentialPerKey } from './rate-limiter.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function world(options: Partial<WorkQueueOptions<string>> = {}) {
  const clock = new VirtualClock();
  const metrics = new MetricRegistry();
  const queue = new WorkQueue<string>({ clock, name: 'q', metrics, ...options });
  const take = () => {
    const taken: string[] = [];
    for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) taken.push(key);
    return taken;
  };
  const metric = (line: string) =>
    Number(new RegExp(`^${line}\\{name="q"[^}]*\\} (.*)$`, 'm').exec(metrics.render())?.[1]);
  return { clock, queue, take, metric };
}

function keys(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** Adds all keys, then hands out and finishes as many. */
function comeAndGo(queue: WorkQueue<string>, keys: readonly string[]): void {
  for (const key of keys) queue.add(key);
  for (const _ of keys) queue.done(queue.tryGet() ?? '');
}

describe('work queue', () => {
  test('a key added many times is handed out once', () => {
    const { queue, take } = world();
    for (let round = 0; round < 1000; round++) queue.add('a');
    expect(take()).toEqual(['a']);
  });

  test.each([Number.NaN, 0, -1, Number.NEGATIVE_INFINITY])(
    'an invalid delay of %d is ignored, and delays no other',
    async (delay) => {
      const { clock, queue, take } = world();
      queue.addAfter('other', 10);
      queue.addAfter('a', delay);
      expect(take()).toEqual(['a']);
      await clock.advance(10);
      expect(take()).toEqual(['other']);
    },
  );

  test('fault R16: a key is never handed out twice at a time, and what came meanwhile once more after', () => {
    const { queue, take } = world();
    queue.add('a');
    expect(take()).toEqual(['a']);
    queue.add('a');
    queue.add('a');
    expect(take()).toEqual([]);
    queue.done('a');
    expect(take()).toEqual(['a']);
    queue.done('a');
    expect(take()).toEqual([]);
  });

  test('fault R18: what just happened goes before start-up lists and resyncs, however many they are', () => {
    const { queue } = world();
    for (let index = 0; index < 1000; index++) queue.add(`old-${index}`, { priority: 'low' });
    queue.add('fresh');
    queue.add('old-999');
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['fresh', 'old-999', 'old-0']);
  });

  test('fault R18: yet nothing starves: what has waited for a minute gets every other turn', async () => {
    const { clock, queue } = world();
    queue.add('old-0', { priority: 'low' });
    queue.add('old-1', { priority: 'low' });
    await clock.advance(60_001);
    for (let index = 0; index < 4; index++) queue.add(`fresh-${index}`);
    expect([0, 1, 2, 3].map(() => queue.tryGet())).toEqual(['old-0', 'fresh-0', 'old-1', 'fresh-1']);
  });

  test('delays of any number use one timer and end in order', async () => {
    const { clock, queue, take } = world();
    for (let index = 0; index < 1000; index++) queue.addAfter(`k${index}`, 1000 - index);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(500);
    expect(take()).toEqual(Array.from({ length: 500 }, (_, index) => `k${999 - index}`));
    await clock.advance(500);
    expect(take()).toHaveLength(500);
    expect(clock.pendingTimers).toBe(0);
  });

  test('the shortest delay counts, and an addition now supersedes it', async () => {
    const { clock, queue, take } = world();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 80);
    await clock.advance(50);
    expect(take()).toEqual(['a']);
    queue.done('a');
    queue.addAfter('a', 100);
    queue.add('a');
    expect(take()).toEqual(['a']);
    queue.done('a');
    await clock.advance(1000);
    expect(take()).toEqual([]);
  });

  test('fault R17: a key that keeps failing waits 5 ms, 10 ms, 20 ms ... up to 1000 s; others wait for nothing', async () => {
    const { queue } = world();
    const delays = Array.from({ length: 20 }, () => queue.addRateLimited('poison'));
    expect(delays.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delays[18]).toBe(1_000_000);
    expect(queue.addRateLimited('well')).toBe(5);
    queue.forget('poison');
    expect(queue.failures('poison')).toBe(0);
    expect(queue.addRateLimited('poison')).toBe(5);
  });

  test('fault R17: over all keys retries are held to ten a second after a burst of a hundred', () => {
    const { queue } = world();
    const delays = Array.from({ length: 150 }, (_, index) => queue.addRateLimited(`k${index}`));
    expect(delays[99]).toBe(5);
    expect(delays[149]).toBeCloseTo(5000);
  });

  test('a waiting get is served as soon as there is something, first come first served', async () => {
    const { clock, queue } = world();
    const got: string[] = [];
    void queue.get().then((key) => got.push(`1:${key}`));
    void queue.get().then((key) => got.push(`2:${key}`));
    queue.addAfter('b', 10);
    queue.add('a');
    await clock.advance(10);
    expect(got).toEqual(['1:a', '2:b']);
  });

  test('an aborted get takes nothing', async () => {
    const { clock, queue, take } = world();
    const stop = new AbortController();
    const got = queue.get(stop.signal);
    stop.abort();
    expect(await got).toBeUndefined();
    expect(await queue.get(stop.signal)).toBeUndefined();
    queue.add('a');
    await clock.advance(0);
    expect(take()).toEqual(['a']);
  });

  test('after shutDown nothing is added, what is ready is handed out, then gets end', async () => {
    const { queue } = world();
    queue.add('a');
    queue.addAfter('later', 10);
    queue.shutDown();
    queue.add('b');
    queue.addAfter('c', 1);
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
    expect(queue.delayed).toBe(0);
  });

  test('a key that was wanted again while it is processed survives shutDown', async () => {
    const { queue } = world();
    queue.add('a');
    expect(queue.tryGet()).toBe('a');
    queue.add('a');
    queue.shutDown();
    const next = queue.get();
    queue.done('a');
    expect(await next).toBe('a');
    queue.done('a');
    expect(await queue.get()).toBeUndefined();
  });

  test('drain waits for what is ready and for what is processed', async () => {
    const { clock, queue } = world();
    queue.add('a');
    queue.add('b');
    expect(queue.tryGet()).toBe('a');
    let drained = false;
    void queue.drain().then(() => {
      drained = true;
    });
    expect(queue.tryGet()).toBe('b');
    queue.done('a');
    await clock.advance(0);
    expect(drained).toBe(false);
    queue.done('b');
    await clock.advance(0);
    expect(drained).toBe(true);
  });

  test('drain can be cancelled, and ends at once on an empty queue', async () => {
    const { queue } = world();
    queue.add('stuck');
    queue.tryGet();
    const stop = new AbortController();
    const drained = queue.drain(stop.signal);
    stop.abort();
    await drained;
    await world().queue.drain();
    expect(queue.processing).toBe(1);
  });

  test('stop hands out nothing more, not even what was wanted again', async () => {
    const { queue } = world();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    queue.add('a');
    const next = queue.get();
    expect(await next).toBe('b');
    const last = queue.get();
    queue.stop();
    queue.done('a');
    queue.done('b');
    expect(await last).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  test('done for a key that was not handed out does nothing', () => {
    const { queue, take } = world();
    queue.add('a');
    queue.done('a');
    queue.done('unknown');
    expect(take()).toEqual(['a']);
  });

  test('memory follows the number of keys, not the number of additions', () => {
    const { queue } = world({ rateLimiter: exponentialPerKey() });
    for (let round = 0; round < 100_000; round++) {
      queue.add(`k${round % 10}`, { priority: 'low' });
      queue.add(`k${round % 10}`, { priority: 'high' });
      queue.addAfter(`d${round % 10}`, 1000 + round);
    }
    expect(queue.length).toBe(10);
    expect(queue.delayed).toBe(10);
  });

  test('thousands of keys that came to rest are forgotten without a trace in those that are held, wait or are delayed', async () => {
    const { clock, queue, take, metric } = world();
    for (const key of keys('held', 20)) queue.add(key, { priority: 'high' });
    const held = take();
    for (const [index, key] of keys('late', 30).entries()) queue.addAfter(key, 1000 - index, { priority: 'low' });
    for (const key of keys('low', 10)) queue.add(key, { priority: 'low' });
    for (const round of [1, 2, 3]) comeAndGo(queue, keys(`round-${round}`, 40_000));
    queue.add('low-7');
    queue.add('held-3');
    expect([queue.length, queue.processing, queue.delayed]).toEqual([10, 20, 30]);
    expect(queue.priority('held-0')).toBe('high');
    await clock.advance(1000);
    for (const key of held) queue.done(key);
    expect(metric('workqueue_work_duration_seconds_count')).toBe(120_020);
    const low = keys('low', 10).filter((key) => key !== 'low-7');
    expect(take()).toEqual(['low-7', 'held-3', ...low, ...keys('late', 30).toReversed()]);
  });

  test('reports under the names client-go uses', async () => {
    const { clock, queue, metric } = world();
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(metric('workqueue_depth')).toBe(2);
    expect(metric('workqueue_adds_total')).toBe(2);
    await clock.advance(500);
    queue.tryGet();
    expect(metric('workqueue_queue_duration_seconds_sum')).toBe(0.5);
    await clock.advance(2000);
    queue.tryGet();
    await clock.advance(1000);
    expect(metric('workqueue_unfinished_work_seconds')).toBe(4);
    expect(metric('workqueue_longest_running_processor_seconds')).toBe(3);
    queue.done('a');
    expect(metric('workqueue_work_duration_seconds_sum')).toBe(3);
    expect(metric('workqueue_work_duration_seconds_count')).toBe(1);
    queue.addRateLimited('b');
    expect(metric('workqueue_retries_total')).toBe(1);
  });
});
