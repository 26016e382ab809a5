// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
import { createManager } from '../manager/manager.ts';
import { controllerWorld } from '../testing/controller-world.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { thing, things } from '../testing/things.ts';
import { buildController } from './builder.ts';
import type { ReconcileFunction } from './reconciler.ts';
import { done, requeue, requeueAfter } from './result.ts';

/** Runs controllers in real time while a timer of 1 ms ticks; `longestPause` is the longest it was kept waiting. */
async function runFor(milliseconds: number, objects: number, reconcilers: readonly ReconcileFunction[]) {
  const client = new ScriptedClient(systemClock);
  for (let index = 0; index < objects; index++) client.kind(things).put(thing(`a/${index}`));
  const manager = createManager({ client });
  for (const [index, reconciler] of reconcilers.entries()) {
    buildController(manager, { name: `things-${index}`, concurrency: 4 })
      .forKind(things)
      .complete(reconciler);
  }
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  await manager.informer(things).whenSynced();
  let longestPause = 0;
  const end = performance.now() + milliseconds;
  for (let last = performance.now(); last < end; ) {
    await systemClock.sleep(1);
    const now = performance.now();
    longestPause = Math.max(longestPause, now - last);
    last = now;
  }
  stop.abort();
  await ended;
  return longestPause;
}

const work = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

describe('the event loop while controllers work', { timeout: 60_000 }, () => {
  test('turns every few milliseconds, however many reconciles wait for nothing', async () => {
    let count = 0;
    const reconcile = async () => {
      count++;
      work(1);
      return done();
    };
    // Two thousand milliseconds of work in one go without turns in between.
    const longestPause = await runFor(1500, 1000, [reconcile, reconcile]);
    expect(count).toBeGreaterThan(500);
    expect(longestPause).toBeLessThan(500);
  });

  test('is not held up by reconciles that want to run again at once', async () => {
    const reconciles: Record<string, number> = { after: 0, again: 0 };
    const longestPause = await runFor(300, 10, [
      async () => {
        reconciles['after'] = (reconciles['after'] ?? 0) + 1;
        return requeueAfter(0);
      },
      async () => {
        reconciles['again'] = (reconciles['again'] ?? 0) + 1;
        return requeue();
      },
    ]);
    expect(longestPause).toBeLessThan(200);
    // 5, 10, 20, 40, 80 ms: about six times each.
    expect(reconciles['after']).toBeLessThan(100);
    expect(reconciles['again']).toBeLessThan(100);
  });

  test('what wants to run again waits longer each time, until it comes to something else', async () => {
    const { clock, client, seen, note, start, metric } = controllerWorld();
    client.kind(things).put(thing('a/one'));
    let answer = requeueAfter(0);
    start(async (request) => {
      note(request);
      return answer;
    });
    await clock.advance(36);
    expect(seen).toEqual(['one@0', 'one@5', 'one@15', 'one@35']);
    answer = done();
    await clock.advance(1000);
    answer = requeue();
    client.kind(things).put(thing('a/one'));
    await clock.advance(6);
    expect(seen.slice(4)).toEqual(['one@75', 'one@1036', 'one@1041']);
    expect(metric('controller_runtime_reconcile_total\\{controller="things",result="requeue"\\}')).toBe(6);
  });
});
