// SPDX-License-Identifier: Apache-2.0
import { events as eventResource, KubeError } from '@operator-parts/kube';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { MetricRegistry } from '../metrics/registry.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { thing } from '../testing/things.ts';
import { EventWriter } from './event-recorder.ts';

const object = thing('a/one', {}, { uid: 'u-1', resourceVersion: '7' });

function world(options: { backlog?: number } = {}) {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const metrics = new MetricRegistry();
  const writer = new EventWriter({
    client,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics,
    component: 'tester',
    ...options,
  });
  const stop = new AbortController();
  const events = () => [...client.kind(eventResource).objects().values()];
  const dropped = () => Number(/events_dropped_total\{component="tester"\} (\d+)/.exec(metrics.render())?.[1]);
  return { clock, client, writer, stop, events, dropped, run: () => writer.run(stop.signal) };
}

describe('event recorder', () => {
  test('writes an event that names the object, the reason and who says so', async () => {
    const { clock, writer, events, run } = world();
    void run();
    writer.record(object, 'Normal', 'Created', 'created a part');
    await clock.advance(10);
    expect(events()).toEqual([
      expect.objectContaining({
        involvedObject: {
          apiVersion: 'lab.example/v1',
          kind: 'Thing',
          namespace: 'a',
          name: 'one',
          uid: 'u-1',
          resourceVersion: '7',
        },
        type: 'Normal',
        reason: 'Created',
        message: 'created a part',
        source: { component: 'tester' },
        reportingComponent: 'tester',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
      }),
    ]);
    expect(events()[0]?.metadata).toMatchObject({ namespace: 'a', name: expect.stringMatching(/^one\.[0-9a-f]{19}$/) });
  });

  test('the same thing again raises the count of one event', async () => {
    const { clock, client, writer, events, run } = world();
    void run();
    for (let round = 0; round < 5; round++) {
      writer.record(
        { ...object, metadata: { ...object.metadata, resourceVersion: `${round}` } },
        'Warning',
        'Failed',
        'no',
      );
      await clock.advance(60_000);
    }
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      count: 5,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:04:00Z',
    });
    expect(client.writes.map(({ verb }) => verb)).toEqual(['create', 'patch', 'patch', 'patch', 'patch']);
  });

  test('many similar messages become one event, which names them', async () => {
    const { clock, writer, events, run } = world();
    void run();
    for (let round = 0; round < 13; round++) writer.record(object, 'Normal', 'Moved', `moved part ${round}`);
    await clock.advance(10);
    expect(events()).toHaveLength(11);
    expect(events()[10]).toMatchObject({
      message: '(combined from similar events): moved part 10; moved part 11; moved part 12',
      count: 3,
    });
  });

  test('what exceeds the limit of an object is combined in one event that says what it stands for; others have their own', async () => {
    const { clock, client, writer, events, dropped, run } = world();
    void run();
    for (let round = 0; round < 100; round++) {
      writer.record(object, round === 60 ? 'Warning' : 'Normal', `Reason${round}`, 'x');
      await clock.advance(10);
    }
    writer.record(thing('a/two', {}, { uid: 'u-2' }), 'Normal', 'Fine', 'x');
    await clock.advance(10);
    expect(events()).toHaveLength(27);
    expect(dropped()).toBe(0);
    // Written when it began. Further messages update it only twice a minute.
    expect(client.writes).toHaveLength(27);
    await clock.advance(30_000);
    expect(client.writes).toHaveLength(28);
    const combined = events().find(({ reason }) => reason === 'EventsCombined');
    // One warning makes the combined event a warning.
    expect(combined).toMatchObject({ count: 75, type: 'Warning' });
    expect(combined?.message).toMatch(
      /^\(combined from similar events\): Reason25: x; Reason26: x; .*Reason98: x; Reason99: x$/,
    );
    await clock.advance(300_000);
    writer.record(object, 'Normal', 'Later', 'x');
    await clock.advance(10);
    expect(events().at(-1)).toMatchObject({ reason: 'Later', count: 1 });
  });

  test('a repetition of an object that has had too many is counted, twice a minute and at the end', async () => {
    const { clock, client, writer, events, stop, run } = world();
    const ended = run();
    for (let round = 0; round < 600; round++) {
      writer.record(object, 'Warning', 'Failed', 'no');
      await clock.advance(100);
    }
    expect(events()).toHaveLength(1);
    expect(client.writes.length).toBeLessThan(25 + 4);
    stop.abort();
    await clock.advance(10);
    await ended;
    expect(events()[0]?.count).toBe(600);
  });

  test('the names of events of one second give their order', async () => {
    const { clock, writer, events, run } = world();
    void run();
    const reasons = ['Zeta', 'Alpha', 'Mid', 'Omega', 'Beta'];
    for (const reason of reasons) {
      writer.record(object, 'Normal', reason, 'x');
      await clock.advance(1);
    }
    const byName = events().toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
    expect(byName.map(({ reason }) => reason)).toEqual(reasons);
  });

  test('the same occurrences at the same times give the same names', async () => {
    const names = await Promise.all(
      [1, 2].map(async () => {
        const { clock, writer, events, run } = world();
        void run();
        writer.record(object, 'Normal', 'A', 'x');
        writer.record(object, 'Normal', 'B', 'y');
        await clock.advance(10);
        return events().map(({ metadata }) => metadata?.name);
      }),
    );
    expect(names[0]).toEqual(names[1]);
  });

  test('a failing API server is tried a few times, then the event is dropped', async () => {
    const { clock, client, writer, events, dropped, run } = world();
    client.onWrite = () => {
      throw new KubeError('InternalError', 'down', { httpStatus: 500 });
    };
    void run();
    writer.record(object, 'Normal', 'A', 'x');
    await clock.advance(120_000);
    expect(client.writes).toHaveLength(5);
    expect(dropped()).toBe(1);
    client.onWrite = () => undefined;
    writer.record(object, 'Normal', 'B', 'x');
    await clock.advance(10);
    expect(events()).toHaveLength(1);
  });

  test('a refusal, as in a namespace that is being deleted, is not tried again', async () => {
    const { clock, client, writer, dropped, run } = world();
    client.onWrite = () => {
      throw new KubeError('Forbidden', 'namespace is being terminated', { httpStatus: 403 });
    };
    void run();
    writer.record(object, 'Normal', 'A', 'x');
    await clock.advance(120_000);
    expect(client.writes).toHaveLength(1);
    expect(dropped()).toBe(1);
  });

  test('an event that expired on the server is created again', async () => {
    const { clock, client, writer, events, run } = world();
    void run();
    writer.record(object, 'Normal', 'A', 'x');
    await clock.advance(10);
    for (const { metadata } of events()) client.kind(eventResource).remove(`a/${metadata?.name}`);
    writer.record(object, 'Normal', 'A', 'x');
    await clock.advance(10);
    expect(events()).toEqual([expect.objectContaining({ count: 2 })]);
  });

  test('memory is bounded: what exceeds the backlog is dropped and counted', async () => {
    const { writer, dropped } = world({ backlog: 3 });
    for (let round = 0; round < 10; round++) writer.record(thing(`a/${round}`), 'Normal', 'A', 'x');
    expect(dropped()).toBe(7);
  });

  test('what was recorded before the stop is still written, within the grace period', async () => {
    const { clock, writer, events, stop, run } = world();
    const ended = run();
    await clock.advance(10);
    writer.record(object, 'Normal', 'Stopping', 'x');
    stop.abort();
    await clock.advance(10);
    await ended;
    expect(events()).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a server that never answers does not hold up the stop', async () => {
    const { clock, client, writer, stop, dropped, run } = world();
    client.onWrite = () => {
      throw new KubeError('ConnectionLost', 'gone');
    };
    const ended = run();
    writer.record(object, 'Normal', 'A', 'x');
    writer.record(object, 'Normal', 'B', 'x');
    stop.abort();
    await clock.advance(2100);
    await ended;
    expect(dropped()).toBeGreaterThan(0);
  });

  test('long messages are cut to what the server takes', async () => {
    const { clock, writer, events, run } = world();
    void run();
    writer.record(object, 'Normal', 'A', 'x'.repeat(5000));
    await clock.advance(10);
    expect(events()[0]?.message).toHaveLength(1024);
  });
});
