// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  KubeError,
  type KubeObject,
  leases,
  type Resource,
  type ResourceClient,
} from '@operator-parts/kube';
import { createLogger, type LogRecord, seededRandom, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { buildController } from '../controller/builder.ts';
import { done } from '../controller/result.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { parts, thing, things } from '../testing/things.ts';
import { createManager, type Manager } from './manager.ts';

/** An API server that delays every answer from a certain moment on. */
class HoldingServer implements Client {
  holds = false;
  /** Requests end when they are aborted, as those of a real client do. */
  heeds = true;
  readonly #inner: ScriptedClient;
  constructor(inner: ScriptedClient) {
    this.#inner = inner;
  }
  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T> {
    const inner = this.#inner.resource(resource);
    const held = (...call: unknown[]) => {
      const signal = (call.at(-1) as { readonly signal?: AbortSignal } | undefined)?.signal;
      return new Promise<never>((_, reject) => {
        const end = () => reject(new KubeError('Aborted', 'the request was aborted'));
        if (this.heeds && signal?.aborted) end();
        else if (this.heeds) signal?.addEventListener('abort', end, { once: true });
      });
    };
    async function* heldStream(...call: unknown[]): AsyncGenerator<never> {
      yield await held(...call);
    }
    return new Proxy(inner, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...call: unknown[]) => unknown;
        if (typeof method !== 'function') return method;
        return (...call: unknown[]) => {
          if (!this.holds) return method.apply(target, call);
          return name === 'watch' || name === 'pages' ? heldStream(...call) : held(...call);
        };
      },
    });
  }
}

const lease = { leaseName: 'op', leaseNamespace: 'ops', identity: 'me' };

async function busy() {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const server = new HoldingServer(client);
  const lines: LogRecord[] = [];
  const log = createLogger({ clock, level: 'debug', write: (line) => lines.push(line) });
  const manager = createManager({ client: server, clock, random: seededRandom(7), log, leaderElection: lease });
  const guest = manager.withLease({ ...lease, leaseName: 'guest' });
  const stop = new AbortController();
  const events = manager.eventRecorder('tester');
  client.kind(things).put(thing('a/one'));
  const work = (of: Manager, resource: Resource, name: string) =>
    buildController(of, { name })
      .forKind(resource)
      .complete(async (_request, { client: own }) => {
        if (server.holds) await own.resource(things).create(thing(`a/by-${name}`));
        return done();
      });
  work(manager, things, 'hosted');
  work(guest, things, 'guest');
  let ended: number | undefined;
  const ending = manager.run(stop.signal).finally(() => {
    ended = clock.monotonic();
  });
  ending.catch(() => undefined);
  await clock.advanceUntil(() => manager.leading && guest.leading);
  await clock.advance(5000);
  const lastsAfter = async (cause: () => void) => {
    server.holds = true;
    events.record(thing('a/one', {}, { uid: 'u' }), 'Normal', 'Held', 'held');
    client.kind(things).put(thing('a/two'));
    // Requested late: it is in its first list.
    manager.informer(parts);
    await clock.advance(100);
    const begun = clock.monotonic();
    cause();
    await clock.advance(600_000);
    return ended === undefined ? 'for ever' : ended - begun;
  };
  return { clock, client, server, manager, guest, stop, ending, lastsAfter, lines };
}

describe('a manager whose API server holds its answers back', () => {
  test('ends soon after its signal is aborted', async () => {
    const { lastsAfter, stop, ending, lines } = await busy();
    // Half a renewal deadline, plus the retry period for the release; then the same for the other lease, which is lost
    // by then.
    expect(await lastsAfter(() => stop.abort())).toBeLessThanOrEqual(10_000);
    await expect(ending).resolves.toBeUndefined();
    expect(lines.filter(({ message }) => message.includes('in time'))).toEqual([]);
  });

  test('ends in the moment in which its lease is lost: it waits for nothing that could not be used any more', async () => {
    const { lastsAfter, ending, lines } = await busy();
    const lasted = await lastsAfter(() => undefined);
    await expect(ending).rejects.toMatchObject({ cause: { name: 'LeadershipLost', code: 'deadline' } });
    const lost = lines.find(({ message }) => message.startsWith('lost the lease'));
    expect(lines.at(-1)).toMatchObject({ message: 'manager stopped', time: lost?.time });
    expect(lasted).toBeLessThanOrEqual(10_000);
  });

  test('ends within the grace period even if nothing that is aborted ends', async () => {
    const { lastsAfter, stop, server, lines } = await busy();
    server.heeds = false;
    expect(await lastsAfter(() => stop.abort())).toBeLessThanOrEqual(30_000);
    const late = lines.filter(({ message }) => message.startsWith('some parts did not stop in time'));
    expect(late.map(({ fields }) => fields['runnables'])).toEqual([['work under the lease ops/guest'], ['caches']]);
  });
});

describe('a part that does not end', () => {
  const endless = { name: 'endless', needsLeader: true, run: () => new Promise<never>(() => undefined) };

  function world() {
    const clock = new VirtualClock();
    const client = new ScriptedClient(clock);
    const manager = createManager({ client, clock, random: seededRandom(7), leaderElection: lease });
    manager.add(endless);
    const stop = new AbortController();
    const ending = manager.run(stop.signal);
    ending.catch(() => undefined);
    return { clock, client, manager, stop, ending };
  }
  const leaseOf = (client: ScriptedClient) => client.kind(leases).objects().get('ops/op')?.spec;

  test('is named after the grace period; its lease is neither kept nor given to another before it expires', async () => {
    const { clock, client, manager, stop, ending } = world();
    await clock.advanceUntil(() => manager.leading);
    stop.abort();
    await clock.advance(30_000);
    await expect(ending).rejects.toThrow('endless did not stop within 25000 ms');
    const left = leaseOf(client);
    expect(left?.holderIdentity).toBe('me');
    await clock.advance(60_000);
    expect(leaseOf(client)).toEqual(left);
    await expect(manager.client.resource(things).create(thing('a/one'))).rejects.toMatchObject({ code: 'Aborted' });
  });

  test('does not keep a process that has lost its lease from ending, for that reason', async () => {
    const { clock, client, manager, ending } = world();
    await clock.advanceUntil(() => manager.leading);
    client.kind(leases).put({ metadata: { namespace: 'ops', name: 'op' }, spec: { holderIdentity: 'other' } });
    await clock.advance(30_000);
    await expect(ending).rejects.toMatchObject({ name: 'LeadershipLost' });
    expect(leaseOf(client)?.holderIdentity).toBe('other');
  });
});
