// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@etcd-operator/kube';
import { seededRandom, VirtualClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
import { createManager } from '../manager/manager.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { buildController } from './builder.ts';
import { done } from './result.ts';

const things: Resource = { group: 'lab.example', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };

describe('controller', () => {
  test('an object that is created is reconciled', async () => {
    const clock = new VirtualClock();
    const client = new ScriptedClient(clock);
    const manager = createManager({ client, clock, random: seededRandom(1), freeze: true });
    const seen: string[] = [];
    const informer = manager.informer(things);
    buildController(manager, { name: 'things' })
      .forKind(things)
      .complete(async (request) => {
        seen.push(`${request.namespace}/${request.name} ${informer.lister.get(request)?.metadata?.resourceVersion}`);
        return done();
      });
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    const object: KubeObject = {
      apiVersion: 'lab.example/v1',
      kind: 'Thing',
      metadata: { namespace: 'a', name: 'one' },
    };
    client.kind(things).put(object);
    await clock.advance(10);
    client.kind(things).put(object);
    await clock.advance(10);
    expect(seen).toEqual(['a/one 2', 'a/one 3']);
    stop.abort();
    await clock.advance(10);
    await running;
  });
});
