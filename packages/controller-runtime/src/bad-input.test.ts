// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, type Transport } from '@operator-parts/kube';
import {
  createLogger,
  type LogRecord,
  seededRandom,
  silentLogger,
  systemClock,
  systemRandom,
  VirtualClock,
} from '@operator-parts/ports';
import { describe, expect, test, vi } from 'vitest';
import { buildController } from './controller/builder.ts';
import { done } from './controller/result.ts';
import { Informer } from './informer/informer.ts';
import { createManager } from './manager/manager.ts';
import { answerOf, frame, listEnd, ScriptedWire, thenStall, type WireScript } from './testing/scripted-wire.ts';
import { parts, type Thing, thing, things } from './testing/things.ts';

const one = thing('a/one', {}, { uid: 'u-1', resourceVersion: '5' });
const two = thing('a/two', {}, { uid: 'u-2', resourceVersion: '6' });

/**
 * A manager with a server whose answers about `things` fail as scripted, in order, and whose answers about `parts` are
 * correct.
 */
function world(...answers: readonly WireScript[]) {
  const clock = new VirtualClock();
  const lines: LogRecord[] = [];
  const left = [...answers];
  const wire = new ScriptedWire((request, url) => {
    if (url.pathname.endsWith('/parts')) {
      const well = frame('ADDED', { ...one, kind: 'Part' });
      return answerOf(200, thenStall(request.signal, [well, listEnd('9')]));
    }
    // The request for the server's version that precedes a resumed watch.
    if (url.searchParams.get('limit') === '1') {
      return answerOf(200, [JSON.stringify({ kind: 'ThingList', metadata: { resourceVersion: '9' }, items: [] })]);
    }
    const script = left.shift() ?? ((again) => answerOf(200, thenStall(again.signal, [frame('ADDED', two)])));
    return script(request, url);
  });
  const log = createLogger({ clock, level: 'info', write: (line) => lines.push(line) });
  const manager = createManager({ client: createClient(wire, { clock }), clock, random: seededRandom(1), log });
  const informer = manager.informer(things);
  const seen: string[] = [];
  buildController(manager, { name: 'parts' })
    .forKind(parts)
    .complete(async ({ name }) => {
      seen.push(name);
      return done();
    });
  const stop = new AbortController();
  void manager.run(stop.signal).catch(() => undefined);
  const names = () => informer.lister.list().map(({ metadata }) => metadata?.name);
  const problem = (kind: string) =>
    Number(
      new RegExp(`problems_total\\{resource="things.lab.example",problem="${kind}"\\} (\\d+)`).exec(
        manager.metrics.render(),
      )?.[1],
    );
  return { clock, wire, informer, seen, names, problem, lines, manager };
}

const stream =
  (...pieces: readonly (string | Uint8Array)[]): WireScript =>
  (request) =>
    answerOf(200, thenStall(request.signal, pieces));
const ending =
  (...pieces: readonly (string | Uint8Array)[]): WireScript =>
  () =>
    answerOf(200, pieces);

describe('a server that sends nonsense', () => {
  test('half a frame: counted, logged, and everything read again; the other kind notices nothing', async () => {
    const whole = frame('ADDED', one);
    const { clock, wire, names, problem, seen, lines } = world(
      ending(
        whole,
        listEnd('5'),
        frame('MODIFIED', { ...one, metadata: { ...one.metadata, resourceVersion: '6' } }).slice(0, 40),
      ),
      stream(whole, frame('ADDED', two), listEnd('7')),
    );
    await clock.advance(5000);
    expect(names()).toEqual(['one', 'two']);
    expect(problem('corrupt')).toBe(1);
    expect(wire.requests.filter((path) => path.includes('things')).at(-1)).toContain('sendInitialEvents=true');
    expect(seen).toEqual(['one']);
    expect(lines.some(({ fields }) => fields['problem'] === 'corrupt')).toBe(true);
  });

  test('garbage in the stream, in a list and instead of either', async () => {
    const html = '<html><body>502 Bad Gateway</body></html>';
    const { clock, names, seen, problem } = world(
      stream(Buffer.from([0xff, 0x00, 0xfe, 0x0a, 0x0a])),
      stream(html),
      () => answerOf(200, ['{"kind":"PodList"']),
      () => answerOf(502, [html]),
      () => answerOf(200, [JSON.stringify({ kind: 'ThingList', metadata: { resourceVersion: '5' }, items: [one] })]),
      stream(frame('ADDED', two)),
    );
    await clock.advance(300_000);
    expect(names()).toEqual(['one', 'two']);
    expect(problem('corrupt')).toBeGreaterThanOrEqual(2);
    expect(seen).toEqual(['one']);
  });

  test('objects without name, version or metadata never reach the cache', async () => {
    const { clock, names, problem, manager } = world(
      ending(frame('ADDED', one), listEnd('5'), frame('ADDED', { kind: 'Thing', metadata: {} })),
      ending(frame('MODIFIED', { kind: 'Thing' })),
      ending(frame('ADDED', { kind: 'Thing', metadata: { name: 'x' } })),
      // The pauses have grown so far that a list follows.
      stream(frame('ADDED', one), frame('ADDED', two), listEnd('6')),
    );
    await clock.advance(60_000);
    expect(names()).toEqual(['one', 'two']);
    expect(problem('corrupt')).toBe(3);
    expect(manager.readiness().ok).toBe(true);
  });

  test('names like __proto__ are data like any other', async () => {
    const evil = JSON.parse(
      '{"metadata":{"name":"__proto__","namespace":"a","uid":"u","resourceVersion":"7","labels":{"__proto__":"x"}}}',
    ) as Thing;
    const { clock, informer } = world(stream(`{"type":"ADDED","object":${JSON.stringify(evil)}}\n`, listEnd('7')));
    await clock.advance(10);
    expect(informer.lister.get('a/__proto__')?.metadata?.name).toBe('__proto__');
    expect(informer.lister.list({ labels: { constructor: 'x' } })).toEqual([]);
    expect(Object.keys({})).toEqual([]);
  });

  test('status 500 for a minute: few requests, a log line, automatic recovery, no delay for others', async () => {
    const failure = JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      reason: 'InternalError',
      code: 500,
      message: 'etcd is gone',
    });
    const clockOf = { now: () => 0 };
    const well = stream(frame('ADDED', one), listEnd('5'));
    const failing: WireScript = (request, url) =>
      clockOf.now() < 60_000 ? answerOf(500, [failure]) : well(request, url);
    const { clock, wire, names, seen, lines, problem } = world(...Array.from({ length: 50 }, () => failing));
    clockOf.now = () => clock.monotonic();
    await clock.advance(59_000);
    expect(seen).toEqual([]);
    expect(names()).toEqual([]);
    expect(wire.requests.filter((path) => path.includes('things')).length).toBeLessThan(10);
    expect(lines.filter(({ fields }) => fields['problem'] === 'unreachable').length).toBeGreaterThan(2);
    await clock.advance(32_000);
    expect(names()).toEqual(['one']);
    expect(seen).toEqual(['one']);
    expect(problem('unreachable')).toBeLessThan(10);
  });
});

describe('large lists', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  /** 10 kB on the wire, nearly all of it managedFields. */
  const managedFields = [{ manager: 'loader', fieldsV1: { 'f:spec': { text: 'x'.repeat(10_000) } } }];
  const large = (index: number) =>
    thing(
      `ns-${index % 50}/object-${index}`,
      { size: index },
      {
        uid: `uid-${index}`,
        resourceVersion: String(index + 1),
        labels: { app: 'large' },
        managedFields,
      },
    );
  const count = 20_000;

  function* lines(peak: { mb: number }) {
    for (let index = 0; index < count; index++) {
      if (index % 2000 === 0) peak.mb = Math.max(peak.mb, heap());
      yield frame('ADDED', large(index));
    }
    yield listEnd(String(count + 1));
  }

  function load(transport: Transport): Informer<Thing> {
    return new Informer<Thing>({
      resource: things,
      reader: createClient(transport, { clock: systemClock }).resource(things),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    });
  }

  test('fault R23: a list of 200 MB, streamed twice, is decoded one object at a time, stripped and replaced in place', async () => {
    const peak = { mb: 0 };
    let request = 0;
    const wire = new ScriptedWire(({ signal }) => {
      if (++request === 2)
        return answerOf(410, [JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 })]);
      // The first stream breaks at its end; the second view is added to the objects of the first.
      return request === 1 ? answerOf(200, lines(peak)) : answerOf(200, thenStall(signal, lines(peak)));
    });
    const before = heap();
    const informer = load(wire);
    const stop = new AbortController();
    const ended = informer.run(stop.signal);
    await vi.waitFor(() => expect([request, informer.status.phase]).toEqual([3, 'live']), {
      timeout: 60_000,
      interval: 100,
    });
    expect(informer.lister.size).toBe(count);
    expect(informer.lister.get('ns-7/object-7')?.metadata?.managedFields).toBeUndefined();
    expect(peak.mb - before).toBeLessThan(60);
    stop.abort();
    await ended;
  }, 90_000);

  test('fault R23: a paged list of 200 MB keeps one page at a time', async () => {
    const peak = { mb: 0 };
    const wire = new ScriptedWire(({ signal }, url) => {
      if (url.searchParams.get('sendInitialEvents'))
        return answerOf(422, [JSON.stringify({ kind: 'Status', reason: 'Invalid', code: 422 })]);
      if (url.searchParams.get('watch')) return answerOf(200, thenStall(signal, []));
      const from = Number(url.searchParams.get('continue') ?? 0);
      const items = Array.from({ length: 500 }, (_, index) => large(from + index));
      const next = from + 500 < count ? { continue: String(from + 500) } : {};
      if (from % 2000 === 0) peak.mb = Math.max(peak.mb, heap());
      return answerOf(200, [
        JSON.stringify({ kind: 'ThingList', metadata: { resourceVersion: '30000', ...next }, items }),
      ]);
    });
    const before = heap();
    const informer = load(wire);
    const stop = new AbortController();
    const ended = informer.run(stop.signal);
    await vi.waitFor(() => expect(informer.hasSynced).toBe(true), { timeout: 60_000, interval: 100 });
    expect(informer.lister.size).toBe(count);
    expect(peak.mb - before).toBeLessThan(80);
    stop.abort();
    await ended;
  }, 90_000);
});
