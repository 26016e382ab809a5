// SPDX-License-Identifier: Apache-2.0
import { events, KubeError, leases as leaseResource } from '@operator-parts/kube';
import { createLogger, type LogRecord, seededRandom, systemClock, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test, vi } from 'vitest';
import { buildController } from '../controller/builder.ts';
import { done } from '../controller/result.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { part, parts, thing, things } from '../testing/things.ts';
import { createManager, type ManagerOptions } from './manager.ts';

const lease = { leaseName: 'op', leaseNamespace: 'ops', identity: 'me' };

function world(options: Partial<ManagerOptions> = {}) {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const lines: LogRecord[] = [];
  const log = createLogger({ clock, write: (record) => lines.push(record), level: 'debug' });
  const manager = createManager({ client, clock, random: seededRandom(7), log, freeze: true, ...options });
  const stop = new AbortController();
  const run = () => {
    const ended = manager.run(stop.signal);
    // Tests check the outcome later; until then it must not count as an unhandled rejection.
    ended.catch(() => undefined);
    return ended;
  };
  return { clock, client, manager, stop, run, lines };
}

describe('manager', () => {
  test('starts caches, then leads, then runs controllers; stops in reverse and releases the lease', async () => {
    const { clock, client, manager, stop, run } = world({ leaderElection: lease });
    const order: string[] = [];
    const leases = client.kind(leaseResource);
    const informer = manager.informer(things);
    client.kind(things).put(thing('a/one'));
    manager.add({
      name: 'watcher',
      needsLeader: true,
      run: async (signal) => {
        order.push(`start synced=${informer.hasSynced} leading=${manager.leading}`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        await clock.sleep(3000);
        const holder = leases.objects().get('ops/op')?.spec?.holderIdentity;
        order.push(`stop holder=${holder} live=${informer.status.phase}`);
      },
    });
    const ended = run();
    await clock.advance(5000);
    stop.abort();
    await clock.advance(5000);
    await ended;
    expect(order).toEqual(['start synced=true leading=true', 'stop holder=me live=live']);
    expect(leases.objects().get('ops/op')?.spec?.holderIdentity).toBe('');
    expect(client.kind(things).openWatches).toBe(0);
  });

  test('a part that fails stops everything and is the reason why', async () => {
    const { clock, client, manager, run } = world({ leaderElection: lease });
    manager.add({ name: 'broken', needsLeader: true, run: () => Promise.reject(new Error('no disk')) });
    const ended = run();
    await clock.advance(5000);
    await expect(ended).rejects.toThrow('broken failed');
    await expect(ended).rejects.toHaveProperty('cause.message', 'no disk');
    expect(client.kind(leaseResource).objects().get('ops/op')?.spec?.holderIdentity).toBe('');
  });

  test('losing the lease ends the manager with that reason', async () => {
    const { clock, client, run, lines } = world({ leaderElection: lease });
    const ended = run();
    await clock.advance(5000);
    client.kind(leaseResource).put({ metadata: { namespace: 'ops', name: 'op' }, spec: { holderIdentity: 'thief' } });
    await clock.advance(5000);
    await expect(ended).rejects.toMatchObject({ name: 'LeadershipLost', code: 'taken' });
    expect(lines.some(({ message }) => message === 'lost the lease; stopping all work')).toBe(true);
  });

  test('its client writes while the lease is held, and not a moment before or after; reads always go', async () => {
    const { clock, client, manager, run, stop } = world({ leaderElection: lease });
    const kind = manager.client.resource(things);
    const refused = expect.objectContaining({ code: 'Aborted', message: expect.stringContaining('the lease') });
    const attempts = () => [
      kind.create(thing('a/one')),
      kind.replace(thing('a/one')),
      kind.apply(thing('a/one'), { fieldManager: 'test' }),
      kind.patch({ namespace: 'a', name: 'one' }, { type: 'merge', patch: {} }),
      kind.status.patch({ namespace: 'a', name: 'one' }, { type: 'merge', patch: {} }),
      kind.delete({ namespace: 'a', name: 'one' }),
      kind.deleteCollection({ namespace: 'a' }),
    ];
    const outcomes = () => Promise.allSettled(attempts());
    const ofThings = () => client.writes.filter(({ resource }) => resource === 'things.lab.example');
    for (const outcome of await outcomes()) expect(outcome).toMatchObject({ status: 'rejected', reason: refused });
    const ended = run();
    await clock.advance(5000);
    await kind.create(thing('a/two'));
    expect(ofThings().map(({ verb, key }) => `${verb} ${key}`)).toEqual(['create a/two']);
    client.kind(leaseResource).put({ metadata: { namespace: 'ops', name: 'op' }, spec: { holderIdentity: 'thief' } });
    await clock.advance(5000);
    await expect(ended).rejects.toMatchObject({ name: 'LeadershipLost' });
    for (const outcome of await outcomes()) expect(outcome).toMatchObject({ status: 'rejected', reason: refused });
    expect(ofThings()).toHaveLength(1);
    expect(await kind.get({ namespace: 'a', name: 'two' })).toMatchObject({ kind: 'Thing' });
    stop.abort();
  });

  test('its client writes nothing after a suspension that was longer than the lease, before any timer has fired', async () => {
    const { clock, client, manager, run } = world({ leaderElection: lease });
    const ended = run();
    await clock.advance(5000);
    const kind = manager.client.resource(things);
    await kind.create(thing('a/one'));
    clock.jump(60_000);
    await expect(kind.create(thing('a/two'))).rejects.toMatchObject({ code: 'Aborted' });
    await clock.advance(1000);
    await expect(ended).rejects.toMatchObject({ name: 'LeadershipLost', code: 'suspended' });
    expect(client.kind(things).objects().has('a/two')).toBe(false);
  });

  test('events are written with the lease only; those of a standby are dropped without a word', async () => {
    const { clock, client, manager, run, lines } = world({ leaderElection: lease });
    const leases = client.kind(leaseResource);
    leases.put({
      metadata: { namespace: 'ops', name: 'op' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    });
    const recorder = manager.eventRecorder('tester');
    const record = (reason: string) => recorder.record(thing('a/one', {}, { uid: 'u' }), 'Normal', reason, reason);
    const reasons = () => [...client.kind(events).objects().values()].map(({ reason }) => reason);
    const ended = run();
    await clock.advance(1000);
    record('AsStandby');
    await clock.advanceUntil(() => manager.leading);
    record('AsLeader');
    await clock.advance(10);
    expect(reasons()).toEqual(['AsLeader']);
    // The next one cannot be written at once, and by then another candidate leads.
    client.onWrite = ({ resource }) => {
      if (resource === 'events') throw new KubeError('ServiceUnavailable', 'busy', { httpStatus: 503 });
    };
    record('TooLate');
    await clock.advance(10);
    const held = leases.objects().get('ops/op');
    leases.put({ ...held, spec: { ...held?.spec, holderIdentity: 'other' } });
    client.onWrite = () => undefined;
    await clock.advance(30_000);
    await expect(ended).rejects.toThrow(/lease/);
    expect(reasons()).toEqual(['AsLeader']);
    expect(lines.filter(({ message }) => message === 'event could not be written')).toEqual([]);
    expect(manager.metrics.render()).toContain('events_dropped_total{component="tester"} 2');
  });

  test('what was recorded last is written before the lease is released', async () => {
    const { clock, client, manager, run, stop } = world({ leaderElection: lease });
    const recorder = manager.eventRecorder('tester');
    manager.add({
      name: 'part',
      needsLeader: true,
      run: (signal) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            recorder.record(thing('a/one', {}, { uid: 'u' }), 'Normal', 'Ended', 'ended');
            resolve();
          });
        }),
    });
    const ended = run();
    await clock.advanceUntil(() => manager.leading);
    client.onWrite = ({ resource }) => (resource === 'events' ? clock.sleep(500) : undefined);
    stop.abort();
    await clock.advance(10_000);
    await ended;
    expect(client.kind(events).objects().size).toBe(1);
    expect(client.writes.map(({ resource }) => resource).slice(-2)).toEqual(['events', 'leases.coordination.k8s.io']);
  });

  test('writes without the lease use the unfenced client; without an election no write is fenced', async () => {
    const fenced = world({ leaderElection: lease });
    await fenced.manager.unfencedClient.resource(things).create(thing('a/one'));
    expect(fenced.client.kind(things).objects().has('a/one')).toBe(true);
    const open = world();
    await open.manager.client.resource(things).create(thing('a/two'));
    expect(open.client.kind(things).objects().has('a/two')).toBe(true);
  });

  test('informers are shared per kind and selection', () => {
    const { manager } = world();
    expect(manager.informer(things)).toBe(manager.informer(things, {}));
    expect(manager.informer(things, { namespace: 'a' })).not.toBe(manager.informer(things));
    expect(manager.informer(things, { labelSelector: 'x=y' })).toBe(manager.informer(things, { labelSelector: 'x=y' }));
    expect(manager.informersOf(things)).toHaveLength(3);
  });

  test('a manager of one namespace has caches of that namespace, unless asked otherwise', async () => {
    const { clock, client, manager, run } = world({ namespace: 'mine' });
    const own = manager.informer(things);
    const other = manager.informer(things, { namespace: 'other' });
    client.kind(things).put(thing('mine/one'));
    client.kind(things).put(thing('other/two'));
    void run();
    await clock.advance(100);
    expect(own.lister.list().map(({ metadata }) => metadata?.name)).toEqual(['one']);
    expect(other.lister.list().map(({ metadata }) => metadata?.name)).toEqual(['two']);
  });

  test('a cache asked for while the manager runs starts at once', async () => {
    const { clock, client, manager, run } = world();
    client.kind(parts).put(part('a/p'));
    void run();
    await clock.advance(100);
    const late = manager.informer(parts);
    await clock.advance(100);
    expect(late.lister.size).toBe(1);
  });

  test('fault R21: a kind that is not installed keeps neither the other controllers nor leadership waiting', async () => {
    const { clock, client, manager, run, lines } = world({ leaderElection: lease });
    client.kind(things).installed = false;
    client.kind(parts).put(part('a/p'));
    const seen: string[] = [];
    buildController(manager, { name: 'things' })
      .forKind(things)
      .complete(async ({ name }) => {
        seen.push(`thing ${name}`);
        return done();
      });
    buildController(manager, { name: 'parts' })
      .forKind(parts)
      .complete(async ({ name }) => {
        seen.push(`part ${name}`);
        return done();
      });
    void run();
    await clock.advance(3000);
    expect(seen).toEqual(['part p']);
    expect(manager.readiness()).toEqual({
      ok: false,
      text: '[-]caches failed: not synced: things.lab.example\ncheck failed\n',
    });
    expect(lines.some(({ fields }) => fields['problem'] === 'missing')).toBe(true);
    client.kind(things).installed = true;
    client.kind(things).put(thing('a/one'));
    await clock.advance(5000);
    expect(seen).toEqual(['part p', 'thing one']);
    expect(manager.readiness().ok).toBe(true);
  });

  test('health fails when servers that disagree keep the caches in doubt, so that a restart fills them again', async () => {
    const { clock, client, manager, run } = world();
    manager.informer(things);
    client.kind(things).passVersions(10_000);
    client.kind(things).put(thing('a/one'));
    void run();
    await clock.advance(1000);
    client.kind(things).disturb((stream) => stream.end());
    // Each answer is older than the one before.
    let shown = 5000;
    Object.defineProperty(client.kind(things), 'lagAt', { get: () => --shown });
    await clock.advance(1);
    // Probes come periodically.
    for (let minute = 0; minute < 10; minute++) {
      expect(manager.health().ok).toBe(true);
      await clock.advance(60_000);
      expect(manager.readiness().text).toMatch(/the cache of things.lab.example may be wrong/);
    }
    await clock.advance(60_000);
    expect(manager.health().text).toMatch(/older than the data it sent before/);
  });

  test('readyz fails when a cache is known to be stale, and says how old it is', async () => {
    const { clock, client, manager, run } = world();
    manager.informer(things);
    void run();
    await clock.advance(1000);
    client.kind(things).fail('list', () => new KubeError('ConnectionRefused', 'nobody there'), 1000);
    client.kind(things).disturb((stream) => stream.end());
    await clock.advance(80_000);
    expect(manager.readiness().ok).toBe(true);
    await clock.advance(40_000);
    expect(manager.readiness().text).toContain('the cache of things.lab.example is 121 s old (nobody there)');
    expect(manager.health().ok).toBe(true);
  });

  test('caches are frozen unless the environment says that this is production', async () => {
    for (const [environment, expected] of [
      ['test', true],
      ['production', false],
    ] as const) {
      vi.stubEnv('NODE_ENV', environment);
      const clock = new VirtualClock();
      const client = new ScriptedClient(clock);
      client.kind(things).put(thing('a/one'));
      const manager = createManager({ client, clock });
      const stop = new AbortController();
      const informer = manager.informer(things);
      const ended = manager.run(stop.signal);
      await clock.advance(10);
      expect(Object.isFrozen(informer.lister.get('a/one')?.metadata)).toBe(expected);
      stop.abort();
      await ended;
      vi.unstubAllEnvs();
    }
  });

  test('when the data of the API server goes back, nothing is decided until every cache was read again', async () => {
    const { clock, client, manager, run } = world({ leaderElection: { leaseName: 'op', leaseNamespace: 'ops' } });
    const kind = client.kind(things);
    client.kind(parts).put(part('a/p'));
    kind.put(thing('a/one'));
    const backup = kind.version;
    const [cachedThings, cachedParts] = [manager.informer(things), manager.informer(parts)];
    const seen: string[] = [];
    const refused: unknown[] = [];
    const finish = Promise.withResolvers<void>();
    buildController(manager, { name: 'things', concurrency: 2 })
      .forKind(things)
      .complete(async (request, context) => {
        seen.push(`${request.name} parts=${cachedParts.lister.size} world=${manager.serverData.generation}`);
        if (request.name !== 'slow' || !cachedThings.lister.get(request)) return done();
        await finish.promise;
        await context.client
          .resource(parts)
          .delete({ namespace: 'a', name: 'p' })
          .catch((error: Error) => refused.push(error.cause));
        return done();
      });
    void run();
    await clock.advance(20_000);
    client.kind(parts).put(part('a/q'));
    kind.put(thing('a/slow'));
    kind.passVersions(100);
    kind.bookmark();
    await clock.advance(1000);
    expect(seen).toEqual(['one parts=1 world=0', 'slow parts=2 world=0']);
    // All data goes back to an older state; only the watch of things notices on its own.
    client.kind(parts).restore(backup, { bump: false });
    kind.restore(backup, { bump: false });
    kind.put(thing('a/new'));
    await clock.advance(10);
    expect(manager.readiness().text).toMatch(/may be wrong/);
    finish.resolve();
    await clock.advance(100);
    expect(String(refused[0])).toMatch(/may be wrong/);
    await clock.advance(60_000);
    expect(manager.readiness().ok).toBe(true);
    expect(client.writes.filter(({ verb }) => verb === 'delete')).toEqual([]);
    expect(seen.slice(2).toSorted()).toEqual(['new parts=1 world=2', 'slow parts=1 world=2']);
    expect(client.writes.filter(({ resource }) => resource.startsWith('events'))).toHaveLength(1);
  });

  test.each([
    ['with an election', { leaderElection: lease }],
    ['without one', {}],
  ])('its client writes nothing while the caches are in doubt, %s, and again afterwards', async (_title, options) => {
    const { clock, client, manager, run } = world(options);
    const kind = client.kind(things);
    kind.put(thing('a/one'));
    const backup = kind.version;
    manager.informer(things);
    void run();
    await clock.advance(20_000);
    kind.passVersions(100);
    kind.bookmark();
    await clock.advance(1000);
    kind.restore(backup, { bump: false });
    kind.put(thing('a/new'));
    await clock.advance(10);
    const remove = () => manager.client.resource(things).delete({ namespace: 'a', name: 'one' });
    await expect(remove()).rejects.toMatchObject({ code: 'Aborted', cause: { name: 'ServerDataInDoubt' } });
    expect(manager.fence).toThrow(/may be wrong/);
    await clock.advance(60_000);
    expect(manager.fence).not.toThrow();
    await remove();
    expect(client.writes.filter(({ verb }) => verb === 'delete')).toHaveLength(1);
  });

  test('two parts of one name, a late part and a second run are refused', async () => {
    const { manager, run, stop } = world();
    const runnable = { name: 'x', needsLeader: false, run: async () => undefined };
    manager.add(runnable);
    expect(() => manager.add(runnable)).toThrow(/already/);
    stop.abort();
    await run();
    expect(() => manager.add({ ...runnable, name: 'y' })).toThrow(/already running/);
    await expect(manager.run(stop.signal)).rejects.toThrow(/once/);
  });

  test('answers /healthz, /readyz and /metrics over HTTP, and nothing else', async () => {
    const client = new ScriptedClient(systemClock);
    const manager = createManager({ client, http: { host: '127.0.0.1', port: 0 } });
    buildController(manager, { name: 'things' })
      .forKind(things)
      .complete(async () => done());
    manager.addReadyCheck('always', () => undefined);
    manager.addHealthCheck('throws', () => {
      throw new Error('broken check');
    });
    const stop = new AbortController();
    const ended = manager.run(stop.signal);
    while (manager.httpAddress === undefined) await new Promise((resolve) => setImmediate(resolve));
    const base = `http://127.0.0.1:${manager.httpAddress.port}`;
    while (!manager.readiness().ok) await new Promise((resolve) => setImmediate(resolve));
    const ready = await fetch(`${base}/readyz?verbose`);
    expect([ready.status, await ready.text()]).toEqual([200, '[+]caches ok\n[+]always ok\ncheck passed\n']);
    const health = await fetch(`${base}/healthz`);
    expect([health.status, await health.text()]).toEqual([
      503,
      '[+]caches ok\n[-]throws failed: broken check\ncheck failed\n',
    ]);
    const metrics = await fetch(`${base}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await metrics.text()).toContain('workqueue_depth{name="things"} 0');
    expect((await fetch(`${base}/secrets`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
    stop.abort();
    await ended;
    await expect(fetch(`${base}/readyz`)).rejects.toThrow('fetch failed');
  });

  test('managers with leases of their own share caches and probes, and each works under its own lease only', async () => {
    const { clock, client, manager: host, run, stop } = world();
    client.kind(things).put(thing('a/one'));
    client.kind(leaseResource).put({
      metadata: { namespace: 'ops', name: 'taken' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 600 },
    });
    const free = host.withLease({ ...lease, leaseName: 'free' });
    const taken = host.withLease({ ...lease, leaseName: 'taken' });
    expect(taken.informer(things)).toBe(free.informer(things));
    expect(host.informersOf(things)).toHaveLength(1);
    const seen: string[] = [];
    for (const [name, manager] of Object.entries({ free, taken })) {
      buildController(manager, { name })
        .forKind(things)
        .complete(async (request) => {
          seen.push(`${name} ${request.name}`);
          return done();
        });
    }
    const ended = run();
    await clock.advance(5000);
    expect(seen).toEqual(['free one']);
    expect([free.leading, taken.leading]).toEqual([true, false]);
    expect(host.readiness()).toEqual(taken.readiness());
    await expect(taken.client.resource(things).create(thing('a/two'))).rejects.toMatchObject({ code: 'Aborted' });
    await free.client.resource(things).create(thing('a/three'));
    await clock.advance(1000);
    expect(seen).toEqual(['free one', 'free three']);
    stop.abort();
    await clock.advance(5000);
    await ended;
    const holder = (name: string) => client.kind(leaseResource).objects().get(`ops/${name}`)?.spec?.holderIdentity;
    expect([holder('free'), holder('taken')]).toEqual(['', 'other']);
    expect(client.kind(things).openWatches).toBe(0);
  });

  test('a cache that one lease may not read keeps only the work under that lease waiting; readyz names it', async () => {
    const { clock, client, manager: host, run, stop } = world();
    client.kind(things).put(thing('a/one'));
    client.kind(parts).fail('watch', () => new KubeError('Forbidden', 'no rights here', { httpStatus: 403 }), 1000);
    const seen: string[] = [];
    for (const [name, kind] of Object.entries({ free: things, refused: parts })) {
      buildController(host.withLease({ ...lease, leaseName: name }), { name })
        .forKind(kind)
        .complete(async (request) => {
          seen.push(`${name} ${request.name}`);
          return done();
        });
    }
    const ended = run();
    await clock.advance(5000);
    expect(seen).toEqual(['free one']);
    expect(host.readiness().text).toContain('not synced: parts');
    expect([...client.kind(leaseResource).objects().keys()]).toEqual(['ops/free']);
    stop.abort();
    await clock.advance(5000);
    await ended;
  });

  test('one that loses its lease ends all of them', async () => {
    const { clock, client, manager: host, run } = world();
    const one = host.withLease({ ...lease, leaseName: 'one' });
    const two = host.withLease({ ...lease, leaseName: 'two' });
    const ended = run();
    await clock.advance(5000);
    expect([one.leading, two.leading]).toEqual([true, true]);
    client.kind(leaseResource).put({ metadata: { namespace: 'ops', name: 'one' }, spec: { holderIdentity: 'thief' } });
    await clock.advance(10_000);
    await expect(ended).rejects.toMatchObject({ cause: { name: 'LeadershipLost' } });
    expect(client.kind(leaseResource).objects().get('ops/two')?.spec?.holderIdentity).toBe('');
  });
});
