// SPDX-License-Identifier: Apache-2.0
import {
  type ConfigMap,
  configMaps,
  createClient,
  type KubeObject,
  type Resource,
  type WatchEvent,
} from '@operator-parts/kube';
import { settle, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { createApiServer } from '../server/api-server.ts';

function start() {
  const clock = new VirtualClock();
  const server = createApiServer({ clock });
  const clientOf = (client: string) =>
    createClient(server.transport({ user: client, groups: ['system:masters'], client })).resource(configMaps);
  return { clock, server, clientOf };
}

const named = (name: string): ConfigMap => ({ metadata: { name, namespace: 'default' } });
const key = (name: string) => ({ namespace: 'default', name });

/** Collects the events of a watch until it ends; `failed` contains the error. */
function follow(events: AsyncIterable<WatchEvent<ConfigMap>>) {
  const seen: string[] = [];
  const state: { ended: boolean; failed: unknown } = { ended: false, failed: undefined };
  const run = async () => {
    for await (const event of events) {
      if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata?.name}`);
    }
  };
  const done = run().then(
    () => {
      state.ended = true;
    },
    (error: unknown) => {
      state.failed = error;
    },
  );
  return { seen, state, done };
}

describe('an error', () => {
  test('affects only its client, its verb and its name, as often as requested', async () => {
    const { server, clientOf } = start();
    const fault = server.faults.error(
      { client: 'a', verb: 'create', name: '', count: 1 },
      { code: 429, retryAfterSeconds: 1 },
    );
    await clientOf('b').create(named('x'));
    await expect(clientOf('a').create(named('y'))).rejects.toMatchObject({ code: 'TooManyRequests' });
    await clientOf('a').create(named('y'));
    expect(fault.hits).toBe(1);
  });

  test('is gone when it is removed', async () => {
    const { server, clientOf } = start();
    const fault = server.faults.error({}, { code: 500 });
    await expect(clientOf('a').list()).rejects.toMatchObject({ code: 'InternalError' });
    fault.remove();
    await clientOf('a').list();
  });
});

describe('a lost connection', () => {
  test('before the request leaves everything as it was', async () => {
    const { server, clientOf } = start();
    server.faults.loseRequest({ verb: 'create', count: 1 });
    await expect(clientOf('a').create(named('x'))).rejects.toMatchObject({ code: 'ConnectionLost' });
    await expect(clientOf('a').get(key('x'))).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('after the request leaves its effect', async () => {
    const { server, clientOf } = start();
    server.faults.loseAnswer({ verb: 'create', count: 1 });
    await expect(clientOf('a').create(named('x'))).rejects.toMatchObject({ code: 'ConnectionLost' });
    expect((await clientOf('a').get(key('x'))).metadata?.name).toBe('x');
  });

  test('that hangs is noticed by the client alone', async () => {
    const { server, clientOf } = start();
    server.faults.loseAnswer({ verb: 'create' }, 'hang');
    const cancel = new AbortController();
    const call = clientOf('a').create(named('x'), { signal: cancel.signal });
    await settle();
    cancel.abort(new Error('gave up'));
    await expect(call).rejects.toMatchObject({ code: 'Aborted' });
    server.faults.clear();
    await clientOf('a').get(key('x'));
  });
});

test('a client crashes after its n-th write, which has taken effect', async () => {
  const { server, clientOf } = start();
  let crashed = 0;
  server.faults.crashAfter({ client: 'a' }, 2, () => crashed++);
  await clientOf('a').create(named('x'));
  await clientOf('a').list();
  await expect(clientOf('a').create(named('y'))).rejects.toMatchObject({ code: 'ConnectionLost' });
  expect(crashed).toBe(1);
  expect((await clientOf('b').get(key('y'))).metadata?.name).toBe('y');
});

test('a delay passes by the clock of the lab', async () => {
  const { server, clientOf, clock } = start();
  server.faults.delay({ verb: 'create' }, 5000);
  let done = false;
  const call = clientOf('a')
    .create(named('x'))
    .then(() => {
      done = true;
    });
  await clock.advance(4999);
  expect(done).toBe(false);
  await clock.advance(1);
  await call;
});

describe('a watch', () => {
  test('that is cut ends, cleanly or with a lost connection', async () => {
    const { server, clientOf } = start();
    const clean = follow(clientOf('a').watch());
    const broken = follow(clientOf('b').watch());
    await settle();
    expect(server.faults.cutWatches({ client: 'a' })).toBe(1);
    expect(server.faults.cutWatches({ client: 'b' }, 'reset')).toBe(1);
    await Promise.all([clean.done, broken.done]);
    expect(clean.state.ended).toBe(true);
    expect(broken.state.failed).toMatchObject({ code: 'ConnectionLost' });
  });

  test('that is stalled sends nothing, and breaks when the fault is removed', async () => {
    const { server, clientOf } = start();
    const watch = follow(clientOf('a').watch());
    await settle();
    const fault = server.faults.stallWatches({ client: 'a' });
    await clientOf('b').create(named('x'));
    await settle();
    expect(watch.seen).toEqual([]);
    fault.remove();
    await watch.done;
    expect(watch.state.failed).toMatchObject({ code: 'ConnectionLost' });
  });

  test('can tell everything twice, or late', async () => {
    const { server, clientOf, clock } = start();
    const twice = follow(clientOf('a').watch());
    const late = follow(clientOf('b').watch());
    await settle();
    server.faults.duplicateEvents({ client: 'a' });
    server.faults.delayEvents({ client: 'b' }, 1000);
    await clientOf('c').create(named('x'));
    await settle();
    expect(twice.seen).toEqual(['ADDED x', 'ADDED x']);
    expect(late.seen).toEqual([]);
    await clock.advance(1000);
    expect(late.seen).toEqual(['ADDED x']);
    await server.close();
    await Promise.all([twice.done, late.done]);
  });

  test('from before a compaction is told so', async () => {
    const { server, clientOf } = start();
    const client = clientOf('a');
    const old = await client.create(named('x'));
    await client.create(named('y'));
    server.faults.compact();
    const watch = follow(client.watch({ resourceVersion: String(old.metadata?.resourceVersion) }));
    await watch.done;
    expect(watch.state.failed).toMatchObject({ code: 'Expired' });
  });
});

describe('a lagging replica', () => {
  test('shows cached reads and watches an older state, and consistent reads the present', async () => {
    const { server, clientOf } = start();
    const fresh = clientOf('fresh');
    await fresh.create(named('x'));
    server.faults.lag({ client: 'stale' }, 1);
    await fresh.create(named('y'));
    const names = async (options: { resourceVersion?: string }) =>
      (await clientOf('stale').list({ namespace: 'default', ...options })).items.map((one) => one.metadata?.name);
    expect(await names({ resourceVersion: '0' })).toEqual(['x']);
    expect(await names({})).toEqual(['x', 'y']);
    const watch = follow(clientOf('stale').watch({ namespace: 'default' }));
    await settle();
    expect(watch.seen).toEqual(['ADDED x']);
    await fresh.create(named('z'));
    await settle();
    expect(watch.seen).toEqual(['ADDED x', 'ADDED y']);
    await server.close();
    await watch.done;
  });

  test('that is frozen stands still until it is thawed', async () => {
    const { server, clientOf } = start();
    const replica = server.faults.lag({ client: 'stale' }, 0, { staleReads: true });
    replica.freeze();
    await clientOf('fresh').create(named('x'));
    await expect(clientOf('stale').get(key('x'))).rejects.toMatchObject({ code: 'NotFound' });
    replica.thaw();
    expect((await clientOf('stale').get(key('x'))).metadata?.name).toBe('x');
  });
});

test('a client that is sent to another replica goes back in time', async () => {
  const { server, clientOf } = start();
  const client = clientOf('a');
  await client.create(named('x'));
  const versionOf = async () => Number((await client.list({ resourceVersion: '0' })).metadata?.resourceVersion);
  const before = await versionOf();
  const replica = server.faults.lag({ client: 'a' }, 0);
  replica.freeze();
  await clientOf('b').create(named('y'));
  await clientOf('b').create(named('z'));
  expect(await versionOf()).toBe(before);
  replica.remove();
  const after = await versionOf();
  expect(after).toBeGreaterThan(before);
  const older = server.faults.lag({ client: 'a' }, 2);
  expect(await versionOf()).toBe(after - 2);
  older.remove();
});

describe('admission that is down', () => {
  const webhook = (failurePolicy: 'Fail' | 'Ignore') => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: failurePolicy.toLowerCase() },
    webhooks: [
      {
        name: 'check.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/none' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        failurePolicy,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const configurations: Resource<KubeObject> = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
  };

  test('refuses where the policy says so, in its scope alone', async () => {
    const { server, clientOf } = start();
    const admin = createClient(server.transport()).resource(configurations);
    await admin.create(webhook('Fail'));
    const fault = server.faults.admissionDown({ client: 'a' });
    await expect(clientOf('a').create(named('x'))).rejects.toThrow(
      /failed calling webhook "check.example.com".*a fault/,
    );
    expect(fault.hits).toBe(1);
    await expect(clientOf('b').create(named('x'))).rejects.not.toThrow(/a fault of the lab/);
    await server.close();
  });

  test('lets pass where the policy says so', async () => {
    const { server, clientOf } = start();
    await createClient(server.transport()).resource(configurations).create(webhook('Ignore'));
    server.faults.admissionDown();
    expect((await clientOf('a').create(named('x'))).metadata?.name).toBe('x');
    await server.close();
  });
});

test('the clock of the lab can be moved', async () => {
  const { server, clientOf } = start();
  server.faults.jumpClock(3_600_000);
  const made = await clientOf('a').create(named('x'));
  expect(made.metadata?.creationTimestamp).toBe('2026-01-01T01:00:00Z');
});
