// SPDX-License-Identifier: Apache-2.0
import { formatMicroTime, KubeError, type Lease, leases as leaseResource } from '@operator-parts/kube';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { ScriptedClient } from '../testing/scripted-client.ts';
import type { ScriptedKind } from '../testing/scripted-kind.ts';
import { LeaderElector } from './leader-elector.ts';
import { LeadershipLost } from './leadership-lost.ts';

interface Candidate {
  readonly elector: LeaderElector;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  leadingSince: number | undefined;
  signal: AbortSignal | undefined;
  abortedAt: number | undefined;
}

function world() {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const leases = client.kind(leaseResource);
  const lease = (): Lease | undefined => leases.objects().get('ops/op');
  const join = (identity: string, windDown = 0, over: ScriptedClient = client): Candidate => {
    const random = seededRandom(identity.length);
    const elector = new LeaderElector({
      leaseName: 'op',
      leaseNamespace: 'ops',
      identity,
      client: over,
      clock,
      random,
      log: silentLogger,
    });
    const stop = new AbortController();
    const candidate: Candidate = {
      elector,
      stop,
      leadingSince: undefined,
      signal: undefined,
      abortedAt: undefined,
      ended: elector
        .run(stop.signal, async (signal) => {
          candidate.leadingSince = clock.monotonic();
          candidate.signal = signal;
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          candidate.abortedAt = clock.monotonic();
          if (windDown > 0) await clock.sleep(windDown);
        })
        .catch((error: unknown) => error),
    };
    return candidate;
  };
  return { clock, client, leases, lease, join };
}

describe('leader election', () => {
  test('the first candidate creates the lease, with times of exactly six digits', async () => {
    const { clock, lease, join } = world();
    const one = join('one');
    await clock.advance(100);
    expect(one.elector.leading).toBe(true);
    expect(lease()?.spec).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('the leader renews every two seconds and keeps the time of its acquisition', async () => {
    const { clock, lease, join } = world();
    join('one');
    await clock.advance(60_000);
    expect(lease()?.spec?.acquireTime).toBe('2026-01-01T00:00:00.000000Z');
    expect(Date.parse(lease()?.spec?.renewTime ?? '')).toBeGreaterThanOrEqual(clock.now() - 2000);
    expect(lease()?.spec?.leaseTransitions).toBe(0);
  });

  test('a second candidate waits, and leads within a second of a graceful exit of the first', async () => {
    const { clock, lease, join } = world();
    const one = join('one');
    await clock.advance(100);
    const two = join('two');
    await clock.advance(60_000);
    expect(two.leadingSince).toBeUndefined();
    one.stop.abort();
    await clock.advance(1000);
    expect(two.leadingSince).toBeDefined();
    expect(await one.ended).toBeUndefined();
    expect(lease()?.spec?.holderIdentity).toBe('two');
    expect(lease()?.spec?.leaseTransitions).toBe(1);
  });

  test('the lease is kept while the work winds down, and released only then', async () => {
    const { clock, lease, join } = world();
    const one = join('one', 20_000);
    await clock.advance(100);
    const two = join('two');
    await clock.advance(5000);
    one.stop.abort();
    await clock.advance(19_000);
    expect(lease()?.spec?.holderIdentity).toBe('one');
    expect(two.leadingSince).toBeUndefined();
    await clock.advance(2000);
    expect(two.leadingSince).toBeDefined();
  });

  test('a stop in the middle of a renewal still hands the lease back', async () => {
    const { clock, client, lease, join } = world();
    const one = join('one');
    await clock.advance(1990);
    // The answer to the next renewal is slow.
    client.onWrite = () => clock.sleep(500);
    await clock.advance(50);
    one.stop.abort();
    client.onWrite = () => undefined;
    await clock.advance(600);
    expect(await one.ended).toBeUndefined();
    expect(lease()?.spec?.holderIdentity).toBe('');
  });

  test('a leader that crashes is followed within 17 seconds', async () => {
    const { clock, join, leases } = world();
    leases.put({
      metadata: { namespace: 'ops', name: 'op' },
      spec: { holderIdentity: 'crashed', leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) },
    });
    const two = join('two');
    await clock.advance(14_900);
    expect(two.leadingSince).toBeUndefined();
    await clock.advance(2100);
    expect(two.leadingSince).toBeDefined();
  });

  test('clocks of other machines do not matter: a renewTime hours in the past or future is judged by observation alone', async () => {
    for (const skew of [-7_200_000, 7_200_000]) {
      const { clock, join, leases } = world();
      const renew = () =>
        leases.put({
          metadata: { namespace: 'ops', name: 'op' },
          spec: { holderIdentity: 'skewed', leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now() + skew) },
        });
      renew();
      const two = join('two');
      for (let round = 0; round < 10; round++) {
        await clock.advance(10_000);
        renew();
      }
      expect(two.leadingSince).toBeUndefined();
      await clock.advance(16_000);
      expect(two.leadingSince).toBeDefined();
    }
  });

  test('fault R19: all work is aborted before another candidate may take the lease', async () => {
    const { clock, client, join } = world();
    const one = join('one');
    await clock.advance(30_000);
    // Only the leader is disconnected: its renewals get no answer.
    client.onWrite = ({ verb }) => {
      if (verb === 'replace' && two?.leadingSince === undefined && clock.monotonic() < cutUntil) {
        throw new KubeError('ConnectionLost', 'cut');
      }
    };
    const cutUntil = clock.monotonic() + 14_000;
    const two = join('two');
    await clock.advance(40_000);
    expect(one.abortedAt).toBeDefined();
    expect(two.leadingSince).toBeDefined();
    expect(two.leadingSince ?? 0).toBeGreaterThan(one.abortedAt ?? Number.POSITIVE_INFINITY);
    expect(one.signal?.reason).toBeInstanceOf(LeadershipLost);
    expect(await one.ended).toMatchObject({ name: 'LeadershipLost', code: 'deadline' });
  });

  test('a renewal whose answer was lost is settled by reading: the leader stays', async () => {
    const { clock, client, join } = world();
    const one = join('one');
    await clock.advance(100);
    const real = client.resource(leaseResource);
    const losing = client.resource.bind(client);
    let lost = 0;
    client.resource = ((resource: typeof leaseResource) => losing(resource)) as typeof client.resource;
    client.onWrite = async () => {
      if (lost++ !== 2) return;
      // The write takes effect, but the client sees a broken connection.
      const held = await real.get({ namespace: 'ops', name: 'op' });
      client.kind(leaseResource).put({ ...held, spec: { ...held.spec, renewTime: formatMicroTime(clock.now()) } });
      throw new KubeError('ConnectionLost', 'the answer was lost');
    };
    await clock.advance(60_000);
    expect(one.elector.leading).toBe(true);
  });

  test('a lease that another candidate acquired ends the work at once', async () => {
    const { clock, join, leases } = world();
    const one = join('one');
    await clock.advance(100);
    leases.put({
      metadata: { namespace: 'ops', name: 'op' },
      spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 },
    });
    await clock.advance(2100);
    expect(await one.ended).toMatchObject({ name: 'LeadershipLost', code: 'taken' });
  });

  test('a lease that was deleted is taken again without a break', async () => {
    const { clock, join, leases } = world();
    const one = join('one');
    await clock.advance(100);
    leases.remove('ops/op');
    await clock.advance(30_000);
    expect(one.abortedAt).toBeUndefined();
    expect(one.elector.leading).toBe(true);
    expect(leases.objects().get('ops/op')?.spec?.holderIdentity).toBe('one');
  });

  test('an API server that refuses the lease is tried again', async () => {
    const { clock, join, leases } = world();
    leases.fail('get', () => new KubeError('Forbidden', 'not yet', { httpStatus: 403 }), 5);
    const one = join('one');
    await clock.advance(60_000);
    expect(one.elector.leading).toBe(true);
  });

  test('a lease that has expired while the API server fails is tried for at the usual pace, not without a pause', async () => {
    const { clock, join, leases } = world();
    leases.put({
      metadata: { namespace: 'ops', name: 'op' },
      spec: { holderIdentity: 'crashed', leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) },
    });
    const two = join('two');
    await clock.advance(14_000);
    leases.fail('get', () => new KubeError('Conflict', 'a server that fails at once', { httpStatus: 409 }), 10_000);
    const before = reads();
    await clock.advance(60_000);
    expect(two.leadingSince).toBeUndefined();
    expect(reads() - before).toBeGreaterThan(10);
    expect(reads() - before).toBeLessThan(35);

    function reads(): number {
      return leases.requests.filter(({ operation }) => operation === 'get').length;
    }
  });

  test('fault R20: after a suspension longer than the renew deadline the first write is refused, before any timer has fired', async () => {
    const { clock, join } = world();
    const one = join('one');
    await clock.advance(5000);
    expect(() => one.elector.assertLeading()).not.toThrow();
    // A suspended machine: its monotonic clock stood still; its wall clock was set when it resumed.
    clock.jump(60_000);
    expect(() => one.elector.assertLeading()).toThrow(LeadershipLost);
    expect(one.signal?.aborted).toBe(true);
    expect(await one.ended).toMatchObject({ code: 'suspended' });
  });

  test('fault R20: a stopped process, whose monotonic clock went on, ends likewise', async () => {
    const { clock, join } = world();
    const stopped = { ahead: 0 };
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + stopped.ahead;
    const one = join('one');
    await clock.advance(5000);
    stopped.ahead = 11_000;
    expect(() => one.elector.assertLeading()).toThrow(LeadershipLost);
    expect(one.signal?.aborted).toBe(true);
  });

  test('a process that was stopped sends neither a renewal nor a release when it goes on', async () => {
    const { clock, client, join } = world();
    const stopped = { ahead: 0 };
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + stopped.ahead;
    const one = join('one');
    await clock.advance(5000);
    const before = client.writes.length;
    // The renewal is due before the deadline's timer.
    stopped.ahead = 11_000;
    await clock.advance(3000);
    expect(await one.ended).toMatchObject({ code: 'suspended' });
    expect(client.writes.slice(before)).toEqual([]);
  });

  test('a wall clock that is set back changes nothing', async () => {
    const { clock, join } = world();
    const one = join('one');
    await clock.advance(5000);
    clock.jump(-3_600_000);
    await clock.advance(60_000);
    expect(one.elector.leading).toBe(true);
  });

  test('of many candidates exactly one leads at any time', async () => {
    const { clock, join } = world();
    const candidates = ['a', 'bb', 'ccc', 'dddd'].map((name) => join(name));
    for (let round = 0; round < 4; round++) {
      await clock.advance(20_000);
      const leading = candidates.filter(({ elector }) => elector.leading);
      expect(leading).toHaveLength(1);
      leading[0]?.stop.abort();
    }
    await clock.advance(20_000);
    expect(candidates.every(({ abortedAt }) => abortedAt !== undefined)).toBe(true);
  });

  test('a renew deadline that is not shorter than the lease is refused', () => {
    const { clock, client } = world();
    const options = { leaseName: 'x', leaseNamespace: 'y', client, clock, random: seededRandom(1), log: silentLogger };
    expect(() => new LeaderElector({ ...options, renewDeadline: 15_000 })).toThrow(/renewDeadline/);
  });

  test.each([
    { what: 'deleted', change: (leases: ScriptedKind<Lease>) => leases.remove('ops/op') },
    {
      what: 'emptied by hand',
      change: (leases: ScriptedKind<Lease>) => {
        const held = leases.objects().get('ops/op');
        return leases.put({ ...held, spec: { ...held?.spec, holderIdentity: '' } });
      },
    },
    {
      what: 'given to somebody else by hand',
      change: (leases: ScriptedKind<Lease>) => {
        const held = leases.objects().get('ops/op');
        return leases.put({ ...held, spec: { ...held?.spec, holderIdentity: 'two', renewTime: 'now' } });
      },
    },
  ])('a lease that is $what never leaves two that may write', async ({ change }) => {
    for (const delay of [1, 100, 1000, 1999, 2001]) {
      const { clock, leases, join } = world();
      const one = join('one');
      await clock.advance(100);
      const two = join('two');
      await clock.advance(10_000 + delay);
      change(leases);
      // First in small steps, then until the old lease has expired for every candidate.
      for (let step = 0; step < 400; step++) {
        await clock.advance(step < 300 ? 10 : 400);
        expect([one, two].filter(({ elector }) => elector.leading).length).toBeLessThanOrEqual(1);
      }
      expect([one, two].filter(({ elector }) => elector.leading)).toHaveLength(1);
      one.stop.abort();
      two.stop.abort();
      await clock.advance(5000);
    }
  });

  test('a leader whose lease is deleted writes nothing until it has it again, and goes on', async () => {
    const { clock, client, leases, join } = world();
    const one = join('one');
    await clock.advance(100);
    client.onWrite = () => clock.sleep(300);
    leases.remove('ops/op');
    await clock.advance(10);
    expect(one.elector.leading).toBe(false);
    expect(() => one.elector.assertLeading()).toThrow('the lease was deleted');
    await clock.advance(700);
    expect(one.elector.leading).toBe(true);
    expect(one.abortedAt).toBeUndefined();
  });

  test('renewals that are answered later than the deadline never leave two that may write', async () => {
    for (const slowness of [4900, 9900, 10_100, 14_900, 20_000]) {
      const { clock, client, join } = world();
      const one = join('one');
      await clock.advance(100);
      const two = join('two');
      client.onWrite = () => clock.sleep(slowness);
      for (let second = 0; second < 60; second++) {
        await clock.advance(1000);
        expect([one, two].filter(({ elector }) => elector.leading).length).toBeLessThanOrEqual(1);
        // Work whose signal is not aborted belongs to a leader that may write, or is aborted before another leader
        // begins.
        expect(two.elector.leading && one.abortedAt === undefined).toBe(false);
      }
      client.onWrite = () => undefined;
      one.stop.abort();
      two.stop.abort();
      await clock.advance(60_000);
    }
  });
});
