// SPDX-License-Identifier: Apache-2.0

import { type ApiServer, startApiServer } from '@etcd-operator/tools';
import { crdOf, type Kind } from '@operator-parts/crd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { etcdBackups } from './etcd-backup.ts';
import { etcdClusters } from './etcd-cluster.ts';
import { etcdRestores } from './etcd-restore.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const clusters = '/apis/etcd.database.coreos.com/v1beta2/namespaces/default/etcdclusters';

let server: ApiServer;

async function call(method: string, path: string, body?: unknown, contentType?: string) {
  const answer = await server.call(method, path, { body, ...(contentType && { contentType }) });
  // For a path that is not served yet, the answer is plain text.
  return { status: answer.status, body: answer.body.startsWith('{') ? JSON.parse(answer.body) : {} };
}

async function apply(kind: Kind): Promise<void> {
  const name = `${kind.plural}.${kind.group}`;
  const query = 'fieldManager=test&force=true&fieldValidation=Strict';
  const applied = await call('PATCH', `${crds}/${name}?${query}`, crdOf(kind), 'application/apply-patch+yaml');
  expect(applied.body.message ?? applied.body.kind).toBe('CustomResourceDefinition');
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const { body } = await call('GET', `${crds}/${name}`);
    const conditions: readonly { type: string; status: string }[] = body.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not established within a minute`);
}

const object = (name: string, spec: unknown) => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name },
  spec,
});

/** The path is not found until shortly after Established is reported, so the create is retried. */
async function create(name: string, spec: unknown) {
  let answer = await call('POST', clusters, object(name, spec));
  for (let attempt = 0; answer.status === 404 && attempt < 600; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer = await call('POST', clusters, object(name, spec));
  }
  return answer;
}

const merge = (path: string, patch: unknown) => call('PATCH', path, patch, 'application/merge-patch+json');

/** A spec that a release without these rules accepted. */
const stored = {
  size: 3,
  pod: {
    etcdEnv: [{ name: 'LD_PRELOAD', value: '/tmp/x' }],
    containerSecurityContext: { windowsOptions: { hostProcess: true } },
    busyboxImage: 'x'.repeat(5_000),
  },
};

describe('a real API server', () => {
  beforeAll(async () => {
    server = await startApiServer();
    // The CRD as CoreOS registered it, without a schema.
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { spec, ...head } = crdOf(etcdClusters);
    const versions = [{ name: 'v1beta2', served: true, storage: true, schema: { openAPIV3Schema: open } }];
    await call('POST', crds, { ...head, spec: { ...spec, versions } });
    expect((await create('stored', stored)).status).toBe(201);
    for (const kind of [etcdClusters, etcdBackups, etcdRestores]) await apply(kind);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test('has established all three kinds: their rules are within its budget', async () => {
    const { body } = await call('GET', crds);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort()).toEqual([
      'etcdbackups.etcd.database.coreos.com',
      'etcdclusters.etcd.database.coreos.com',
      'etcdrestores.etcd.database.coreos.com',
    ]);
  });

  test.each<readonly [string, object, string]>([
    ['a variable of the linker', { etcdEnv: [{ name: 'LD_PRELOAD' }] }, 'names in etcdEnv must begin with ETCD_'],
    ['a process of the host', { securityContext: { windowsOptions: { hostProcess: true } } }, 'hostProcess cannot be'],
    ['the same in a container', { containerSecurityContext: { windowsOptions: { hostProcess: true } } }, 'hostProcess'],
    ['an unmasked /proc', { containerSecurityContext: { procMount: 'Unmasked' } }, 'procMount cannot be Unmasked'],
    ['an image without end', { busyboxImage: 'x'.repeat(5_000) }, 'Too long'],
    ['a list without end', { tolerations: Array.from({ length: 1_025 }, () => ({ key: 'a' })) }, 'Too many'],
    ['a value of a built-in type without end', { tolerations: [{ key: 'x'.repeat(5_000) }] }, 'Too long'],
    ['a quantity without end', { resources: { limits: { cpu: '1'.repeat(500) } } }, 'Too long'],
  ])('refuses %s', async (_what, pod, words) => {
    await expect
      .poll(async () => (await create('refused', { size: 3, pod })).body.message ?? '', { timeout: 30_000 })
      .toContain(words);
  });

  test('takes the variables of etcd, and those to tune it with', async () => {
    const etcdEnv = ['ETCD_AUTO_COMPACTION_RETENTION', 'GOMEMLIMIT', 'TZ'].map((name) => ({ name, value: '1' }));
    expect((await create('tuned', { size: 3, pod: { etcdEnv } })).status).toBe(201);
  });

  test('still takes changes, and the status, of an object that was stored before there were bounds', async () => {
    const path = `${clusters}/stored`;
    expect((await merge(`${path}/status`, { status: { phase: 'Running' } })).body.status).toEqual({
      observedGeneration: -1,
      phase: 'Running',
    });
    expect((await merge(path, { spec: { size: 5 } })).body.spec).toMatchObject({ size: 5 });
    expect((await merge(path, { metadata: { annotations: { a: 'b' } } })).status).toBe(200);
  });

  test('fault 7: looks at the version in a patch of the status, and not at the UID', async () => {
    const path = `${clusters}/again`;
    const { metadata } = (await create('again', { size: 3 })).body;
    expect((await call('DELETE', path)).status).toBe(200);
    await create('again', { size: 3 });
    const { uid, resourceVersion } = metadata;
    const status = { clusterID: 'old' };
    expect((await merge(`${path}/status`, { metadata: { uid, resourceVersion }, status })).status).toBe(409);
    expect((await merge(`${path}/status`, { metadata: { uid }, status })).status).toBe(200);
  });
});
