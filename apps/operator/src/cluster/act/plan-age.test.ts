// SPDX-License-Identifier: Apache-2.0
import { createClient, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { clusterWith } from '../../testing/api-server-scene.ts';
import type { ActContext } from './act-context.ts';
import { attempt } from './attempt.ts';
import { assertFresh, PlanTooOld, planAgeLimit } from './plan-age.ts';
import { contextOf } from './testing/context-of.ts';

const seed = { do: 'createSeed', name: 'c-m1', incarnation: 1, version: '3.6.16', image: 'etcd:v3.6.16' } as const;

function contextWith(fence: () => void, { signal } = new AbortController()): ActContext {
  const client = createClient(createApiServer({}).transport());
  return contextOf(client, clusterWith('c', { size: 3 }, { uid: 'u1' }), { clusterId: '', fence, signal });
}

const podsOf = async ({ client }: ActContext) =>
  (await client.resource(pods).list({ namespace: 'default' })).items.length;

describe('the age of a plan', () => {
  test('counts from the beginning of its observation, up to a limit', () => {
    expect(() => assertFresh(5, 5 + planAgeLimit)).not.toThrow();
    expect(() => assertFresh(5, 6 + planAgeLimit)).toThrow(PlanTooOld);
  });

  test('a step of a plan that is too old is refused with the reason, and nothing is written', async () => {
    const clock = new VirtualClock();
    const begun = clock.monotonic();
    const context = contextWith(() => assertFresh(begun, clock.monotonic()));
    await clock.advance(120_000);
    expect(await attempt(seed, context)).toEqual({
      kind: 'refused',
      why: 'The plan was made 120 s ago; the limit is 10 s. Reading the state of the cluster again before changing anything.',
    });
    expect(await podsOf(context)).toBe(0);
  });

  test('a step of a fresh plan is taken', async () => {
    const context = contextWith(() => assertFresh(0, 0));
    expect(await attempt(seed, context)).toEqual({ kind: 'done' });
    expect(await podsOf(context)).toBe(1);
  });

  test('a lost lease ends the reconciliation before the step', async () => {
    const stop = new AbortController();
    const context = contextWith(() => {
      stop.abort(new Error('the lease was taken'));
      stop.signal.throwIfAborted();
    }, stop);
    await expect(attempt(seed, context)).rejects.toThrow('the lease was taken');
    expect(await podsOf(context)).toBe(0);
  });
});
