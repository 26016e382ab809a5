// SPDX-License-Identifier: Apache-2.0
import { nextTurn, silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { createManager } from '../manager/manager.ts';
import { controllerWorld } from '../testing/controller-world.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { thing, things } from '../testing/things.ts';
import { buildController } from './builder.ts';
import type { ReconcileFunction } from './reconciler.ts';
import { done, requeue, requeueAfter } from './result.ts';

/** Virtual time that passes during work without a turn of the event loop, as real time does. */
class WorkingClock extends VirtualClock {
  worked = 0;

  override monotonic(): number {
    return super.monotonic() + this.worked;
  }
}

/** Two controllers for the same objects, running concurrently. */
function twoControllers(objects: number, reconcilers: (clock: WorkingClock) => readonly ReconcileFunction[]) {
  const clock = new WorkingClock();
  const client = new ScriptedClient(clock);
  for (let index = 0; index < objects; index++) client.kind(things).put(thing(`a/${index}`));
  const manager = createManager({ client, clock, log: silentLogger });
  for (const [index, reconciler] of reconcilers(clock).entries()) {
    buildController(manager, { name: `things-${index}`, concurrency: 4 })
      .forKind(things)
      .complete(reconciler);
  }
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { clock, end };
}

describe('the event loop while controllers work', () => {
  test('turns every few milliseconds, however many reconciles wait for nothing', async () => {
    let count = 0;
    const { clock, end } = twoControllers(1000, (working) => {
      const reconcile = async () => {
        count++;
        working.worked += 1;
        return done();
      };
      return [reconcile, reconcile];
    });
    const stretches: number[] = [];
    while (count < 2000 && stretches.length < 10_000) {
      const before = clock.worked;
      await nextTurn();
      stretches.push(clock.worked - before);
    }
    await end();
    expect(count).toBe(2000);
    // Ten milliseconds for each controller, plus what its four workers are doing at that moment.
    expect(Math.max(...stretches)).toBeLessThanOrEqual(2 * (10 + 4));
    // It does not turn for every request either: that would be slow.
    expect(stretches.filter((worked) => worked > 0).length).toBeLessThan(2000 / 10);
  });

  test('is not held up by reconciles that want to run again at once', async () => {
    const reconciles = { after: 0, again: 0 };
    // Limits the run, because a hanging test does not say why.
    const enough = 1000;
    const { clock, end } = twoControllers(10, () => [
      async () => (++reconciles.after < enough ? requeueAfter(0) : done()),
      async () => (++reconciles.again < enough ? requeue() : done()),
    ]);
    await clock.advance(300);
    await end();
    // At 0, 5, 15, 35, 75 and 155 ms, ten each.
    expect(reconciles).toEqual({ after: 60, again: 60 });
  });

  test('what wants to run again waits longer each time, until it comes to something else', async () => {
    const { clock, client, seen, note, start, metric } = controllerWorld();
    client.kind(things).put(thing('a/one'));
    let answer = requeueAfter(0);
    start(async (request) => {
      note(request);
      return seen.length < 100 ? answer : done();
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
