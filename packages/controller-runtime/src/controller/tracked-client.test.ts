// SPDX-License-Identifier: Apache-2.0
import { isKubeError, leases } from '@etcd-operator/kube';
import { describe, expect, test } from 'vitest';
import { controllerWorld as world } from '../testing/controller-world.ts';
import { thing, things } from '../testing/things.ts';
import { done } from './result.ts';

describe('writes and the lease', () => {
  const election = { leaseName: 'op', leaseNamespace: 'ops', identity: 'me' };

  test('R19: a reconcile in flight gets the signal and can write nothing once the lease is lost', async () => {
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
    await expect(ended).rejects.toThrow('the lease was taken by thief');
    expect(seen).toEqual(['true LeadershipLost: the lease was taken by thief']);
    expect(client.writes.filter(({ resource }) => resource.startsWith('things'))).toEqual([]);
  });

  test('R20: the first write after a suspension is refused, even before any timer has fired', async () => {
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
    expect(seen).toEqual(['holds the lease', expect.stringContaining('the lease is not held')]);
    await expect(ended).rejects.toMatchObject({ code: 'suspended' });
  });

  test('and it throws once the reconcile is called off, also without an election', async () => {
    const { clock, client, start, seen } = world();
    client.kind(things).put(thing('a/one'));
    const fences: (() => void)[] = [];
    start(
      async (_request, { fence, signal }) => {
        fences.push(fence);
        await clock.sleep(60_000, signal).catch(() => seen.push('called off'));
        return done();
      },
      { timeout: 1000 },
    );
    await clock.advance(500);
    expect(() => fences[0]?.()).not.toThrow();
    await clock.advance(1000);
    expect(seen).toEqual(['called off']);
    expect(() => fences[0]?.()).toThrow('reconcile called off');
  });
});
