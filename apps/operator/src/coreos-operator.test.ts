// SPDX-License-Identifier: Apache-2.0
import { createClient, endpoints, KubeError, namespaces } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { silentLogger, VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import { CoreosOperator } from './coreos-operator.ts';

const { signal } = new AbortController();
const clock = new VirtualClock();
let server: ReturnType<typeof createApiServer>;
let client: ReturnType<typeof createClient>;
let old: CoreosOperator;

beforeEach(async () => {
  server = createApiServer({});
  client = createClient(server.transport());
  await client.resource(namespaces).create({ metadata: { name: 'ns' } });
  old = new CoreosOperator(options());
});

const options = () => ({ client, clock, log: silentLogger, namespace: 'ns', lockName: 'etcd-operator' });

async function renew(holderIdentity: string, renewTime: string): Promise<void> {
  const annotations = { 'control-plane.alpha.kubernetes.io/leader': JSON.stringify({ holderIdentity, renewTime }) };
  const lock = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'etcd-operator', namespace: 'ns', annotations },
  } as const;
  await client.resource(endpoints).apply(lock, { fieldManager: 'old', force: true });
}

describe('[103] CoreOS etcd-operator', () => {
  test('is not there if its lock is not', async () => {
    expect(await old.check(signal)).toBe(false);
    expect(old.holder).toBeUndefined();
  });

  test('is alive while its lock is renewed, and dead a lease after the last renewal', async () => {
    await renew('pod-1', '2019-01-01T00:00:00Z');
    expect(await old.check(signal)).toBe(true);
    expect(old.holder).toBe('pod-1');
    await clock.advance(10_000);
    await renew('pod-1', '2019-01-01T00:00:10Z');
    expect(await old.check(signal)).toBe(true);
    await clock.advance(14_000);
    expect(await old.check(signal)).toBe(true);
    await clock.advance(2_000);
    expect(await old.check(signal)).toBe(false);
    expect(old.holder).toBeUndefined();
  });

  test('safety rule 9: is read again when the API server gives no answer, which ends no process', async () => {
    await renew('pod-1', '2019-01-01T00:00:00Z');
    let failures = 3;
    const transport = server.transport();
    const flaky = createClient({
      ...transport,
      request: (request) =>
        failures-- > 0 ? Promise.reject(new KubeError('Conflict', 'no')) : transport.request(request),
    });
    const checked = new CoreosOperator({ ...options(), client: flaky }).check(signal);
    for (let second = 0; second < 3; second++) await clock.advance(1_000);
    expect(await checked).toBe(true);
  });

  test('is dead if it released its lock', async () => {
    await renew('', '2019-01-01T00:00:00Z');
    expect(await old.check(signal)).toBe(false);
  });
});
