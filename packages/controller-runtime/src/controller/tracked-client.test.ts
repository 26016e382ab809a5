// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type KubeObject, leases, type Resource, type WriteOptions } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { controllerWorld as world } from '../testing/controller-world.ts';
import { thing, things } from '../testing/things.ts';
import { done } from './result.ts';

describe('writes and the lease', () => {
  const election = { leaseName: 'op', leaseNamespace: 'ops', identity: 'me' };

  test('fault R19: a reconcile in flight gets the signal and can write nothing once the lease is lost', async () => {
    const { clock, client, start, seen } = world({ leaderElection: election });
    client.kind(things).put(thing('a/one'));
    const { ended } = start(async (request, { client: tracked, signal }) => {
      await clock.sleep(60_000, signal).catch(() => undefined);
      const status = tracked.resource(things).status;
      await status.patch(request, { type: 'merge', patch: { status: {} } }).catch((error: unknown) => {
        seen.push(`${isKubeError(error, 'Aborted')} ${error instanceof Error && String(error.cause)}`);
      });
      return done();
    });
    await clock.advance(5000);
    client.kind(leases).put({ metadata: { namespace: 'ops', name: 'op' }, spec: { holderIdentity: 'thief' } });
    await clock.advance(5000);
    await expect(ended).rejects.toThrow('the lease is now held by thief');
    expect(seen).toEqual(['true LeadershipLost: the lease is now held by thief']);
    expect(client.writes.filter(({ resource }) => resource.startsWith('things'))).toEqual([]);
  });

  test('fault R20: the first write after a suspension is refused, even before any timer has fired', async () => {
    const { clock, client, start, seen } = world({ leaderElection: election });
    client.kind(things).put(thing('a/one'));
    const { ended } = start(async (request, { client: tracked }) => {
      clock.jump(3_600_000);
      await tracked
        .resource(things)
        .delete(request)
        .catch((error: unknown) => seen.push(String(isKubeError(error, 'Aborted'))));
      return done();
    });
    await clock.advance(5000);
    expect(seen).toEqual(['true']);
    expect(client.kind(things).objects().size).toBe(1);
    await expect(ended).rejects.toMatchObject({ code: 'suspended' });
  });

  test('what a reconcile changes elsewhere has the same fence: it throws after a suspension, before any timer has fired', async () => {
    const { clock, client, start, seen } = world({ leaderElection: election });
    client.kind(things).put(thing('a/one'));
    const { ended } = start(async (_request, { fence }) => {
      fence();
      seen.push('holds the lease');
      clock.jump(3_600_000);
      try {
        fence();
      } catch (error) {
        seen.push(String(error));
      }
      return done();
    });
    await clock.advance(5000);
    expect(seen).toEqual(['holds the lease', expect.stringContaining('this process does not hold the lease')]);
    await expect(ended).rejects.toMatchObject({ code: 'suspended' });
  });

  test('and it throws once the reconcile is aborted, also without an election', async () => {
    const { clock, client, start, seen } = world();
    client.kind(things).put(thing('a/one'));
    const fences: (() => void)[] = [];
    start(
      async (_request, { fence, signal }) => {
        fences.push(fence);
        await clock.sleep(60_000, signal).catch(() => seen.push('aborted'));
        return done();
      },
      { timeout: 1000 },
    );
    await clock.advance(500);
    expect(() => fences[0]?.()).not.toThrow();
    await clock.advance(1000);
    expect(seen).toEqual(['aborted']);
    expect(() => fences[0]?.()).toThrow('reconciliation aborted');
  });

  test('what was begun under the lease and waits to be sent is not sent after it, from a reconcile or by the manager', async () => {
    const { clock, client, start, seen, manager } = world({ leaderElection: election });
    client.kind(things).put(thing('a/one'));
    const leave: (() => void)[] = [];
    // Like a transport without a free connection: the write waits, and the fence is called when it is sent.
    const resource = client.resource.bind(client);
    client.resource = <T extends KubeObject>(kind: Resource<T>) => ({
      ...resource(kind),
      create: async (object: T, options?: WriteOptions) => {
        if (kind.plural !== 'things') return resource(kind).create(object, options);
        await new Promise<void>((resolve) => leave.push(resolve));
        seen.push(`signal aborted: ${options?.signal?.aborted}`);
        options?.fence?.();
        return resource(kind).create(object, options);
      },
    });
    const { ended } = start(async (_request, { client: tracked }) => {
      const writers = [tracked, manager.client].map((each) => each.resource(things).create(thing('a/new')));
      for (const outcome of await Promise.allSettled(writers)) {
        seen.push(outcome.status === 'rejected' ? String(isKubeError(outcome.reason, 'Aborted')) : 'sent');
      }
      return done();
    });
    await clock.advance(5000);
    expect(leave).toHaveLength(2);
    client.kind(leases).put({ metadata: { namespace: 'ops', name: 'op' }, spec: { holderIdentity: 'thief' } });
    await clock.advance(5000);
    for (const go of leave) go();
    await expect(ended).rejects.toThrow('the lease is now held by thief');
    expect(seen).toEqual(['signal aborted: true', 'signal aborted: true', 'true', 'true']);
    expect(client.kind(things).objects().size).toBe(1);
  });
});
