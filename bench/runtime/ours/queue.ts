// SPDX-License-Identifier: Apache-2.0
/** The four workloads of B5 on our queue; each word runs one and is answered with operations per second. */
import { setImmediate } from 'node:timers/promises';
import { WorkQueue } from '@operator-parts/controller-runtime';
import { systemClock } from '@operator-parts/ports';
import { collectGarbage, quantilesOf, serve } from './serve.ts';

type Workload = (queue: WorkQueue<string>) => Promise<object>;

const workloads: Readonly<Record<string, Workload>> = { cycle, burst, timers, deduplicate };

await serve(async (word) => {
  const workload = workloads[word];
  if (!workload) throw new Error(`there is no workload "${word}"`);
  const queue = new WorkQueue<string>({ clock: systemClock, name: 'bench' });
  collectGarbage();
  const result = await workload(queue);
  queue.shutDown();
  return result;
});

function perSecond(operations: number, begun: number): object {
  return { perSecond: operations / ((performance.now() - begun) / 1000) };
}

/** One key added, taken and done, a million times. */
async function cycle(queue: WorkQueue<string>): Promise<object> {
  const count = 1_000_000;
  const begun = performance.now();
  for (let turn = 0; turn < count; turn++) {
    queue.add('key');
    const key = queue.tryGet() ?? (await queue.get());
    if (key !== undefined) queue.done(key);
  }
  return perSecond(count, begun);
}

/** 300,000 different keys at once, then all of them taken. */
async function burst(queue: WorkQueue<string>): Promise<object> {
  const keys = names(300_000);
  const begun = performance.now();
  for (const key of keys) queue.add(key);
  for (let turn = 0; turn < keys.length; turn++) {
    const key = queue.tryGet() ?? (await queue.get());
    if (key !== undefined) queue.done(key);
  }
  return perSecond(keys.length, begun);
}

/**
 * 100,000 keys delayed by up to a second, and one worker: additions per second, and the delay of keys in milliseconds.
 */
async function timers(queue: WorkQueue<string>): Promise<object> {
  const keys = names(100_000);
  const due = new Float64Array(keys.length);
  const late: number[] = [];
  const worker = (async () => {
    while (late.length < keys.length) {
      const key = queue.tryGet() ?? (await queue.get());
      if (key === undefined) break;
      late.push(Math.max(0, performance.now() - (due[Number(key.slice(-6))] ?? 0)));
      queue.done(key);
    }
  })();
  const begun = performance.now();
  for (const [index, key] of keys.entries()) {
    const delay = (((index * 7919) % keys.length) * 1000) / keys.length;
    due[index] = performance.now() + delay;
    queue.addAfter(key, delay);
    // The worker gets a turn; on the other side it runs in parallel.
    if (index % 250 === 249) await setImmediate();
  }
  const added = perSecond(keys.length, begun);
  await worker;
  const { p50, p99 } = quantilesOf(late);
  return { ...added, p50, p99 };
}

/** A million additions with 1000 keys and ten workers. */
async function deduplicate(queue: WorkQueue<string>): Promise<object> {
  const count = 1_000_000;
  const keys = names(1000);
  const begun = performance.now();
  let handled = 0;
  const workers = Array.from({ length: 10 }, async () => {
    for (let key = await queue.get(); key !== undefined; key = queue.tryGet() ?? (await queue.get())) {
      handled++;
      queue.done(key);
    }
  });
  for (let turn = 0; turn < count; turn++) {
    queue.add(keys[turn % keys.length] ?? '');
    // Workers get turns often enough to handle more than those of the other side, which run in parallel.
    if (turn % 10_000 === 9999) await setImmediate();
  }
  await queue.drain();
  await Promise.all(workers);
  return { ...perSecond(count, begun), handled };
}

/** Flat strings as keys, like those from JSON and those of the other side. */
function names(count: number): readonly string[] {
  const name = (index: number) => `namespace/object-${String(index).padStart(6, '0')}`;
  return Array.from({ length: count }, (_, index) => Buffer.from(name(index)).toString('latin1'));
}
