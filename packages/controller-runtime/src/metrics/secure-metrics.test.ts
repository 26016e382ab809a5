// SPDX-License-Identifier: Apache-2.0
import { request } from 'node:https';
import { selfSignedCertificate } from '@etcd-operator/tools';
import { clusterRoleBindings, clusterRoles, createClient, serviceAccounts } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { metricsReaders } from './metrics-readers.ts';
import { MetricRegistry } from './registry.ts';
import { SecureMetrics } from './secure-metrics.ts';

const first = await selfSignedCertificate('first');
const second = await selfSignedCertificate('second');
let certificate = first;

const api = createApiServer();
const admin = createClient(api.transport());
const stop = new AbortController();
let running: Promise<void>;
let isJudgeThere = true;

const metrics = new MetricRegistry();
metrics.counter({ name: 'things_total', help: 'Things.', labels: [] }).labels().inc();
const judge = metricsReaders(admin);
const server = new SecureMetrics({
  ...{ host: '127.0.0.1', port: 0, metrics, clock: systemClock, log: silentLogger, reloadPeriod: 10 },
  certificate: async () => certificate,
  judge: (token) => (isJudgeThere ? judge(token) : Promise.reject(new Error('nobody there'))),
});

beforeAll(async () => {
  running = server.run(stop.signal);
  await vi.waitFor(() => expect(server.address).toBeDefined());
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' };
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await admin.resource(clusterRoles).create({ metadata: { name: 'readers' }, rules });
  const subjects = [{ kind: 'ServiceAccount', name: 'prometheus', namespace: 'default' }];
  await admin.resource(clusterRoleBindings).create({ metadata: { name: 'readers' }, roleRef, subjects });
});
afterAll(async () => {
  stop.abort();
  await running;
  await api.close();
});

async function tokenOf(name: string): Promise<string> {
  await admin.resource(serviceAccounts).create({ metadata: { name, namespace: 'default' } });
  const { status } = await admin
    .resource(serviceAccounts)
    .subresource<{ readonly status?: { readonly token?: string } }>('token')
    .create({ name, namespace: 'default' }, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} });
  return status?.token ?? '';
}

function ask(token?: string, path = '/metrics', ca = first.cert): Promise<{ status: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { port = 0 } = server.address ?? {};
  const options = { host: '127.0.0.1', port, path, headers, ca, servername: 'localhost', agent: false } as const;
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      let text = '';
      response.on('data', (data: Buffer) => {
        text += data.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject).end();
  });
}

describe('metrics over TLS', () => {
  test('are for an account that may get /metrics, and there is nothing else', async () => {
    const token = await tokenOf('prometheus');
    expect(await ask(token)).toEqual({ status: 200, text: expect.stringContaining('things_total 1') });
    expect(await ask(token, '/healthz')).toMatchObject({ status: 404 });
  });

  test('are not for an account that may not', async () => {
    expect(await ask(await tokenOf('stranger'))).toEqual({
      status: 403,
      text: 'permission to get /metrics is required\n',
    });
  });

  test.each([undefined, 'made-up', 'x'.repeat(20_000)])('are not for a client without a name (%#)', async (token) => {
    // A request longer than the maximum header size ends before it is parsed.
    const { status, text } = await ask(token).catch(() => ({ status: 401, text: '' }));
    expect({ status, tells: text.includes('things_total') }).toEqual({ status: 401, tells: false });
  });

  test('are not told while the API server cannot be asked', async () => {
    isJudgeThere = false;
    expect(await ask('any')).toMatchObject({ status: 503 });
    isJudgeThere = true;
  });

  test('take up a new certificate without a restart', async () => {
    certificate = second;
    const trusted = () =>
      ask(undefined, '/metrics', second.cert).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(trusted).toBe(401);
    await expect(ask()).rejects.toThrow(/self-signed|unable to verify|certificate/);
  });
});
