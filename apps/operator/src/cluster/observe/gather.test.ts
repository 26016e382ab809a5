// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { createClient, customResourceDefinitions, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterAll, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { fromCaches, fromServer } from './gather.ts';

const server = createApiServer();
afterAll(() => server.close());

test('a pod that has lost the label of the Services is read from the API server, too', async () => {
  const client = createClient(server.transport());
  await client.resource(customResourceDefinitions).create(crdOf(etcdClusters));
  const key = { namespace: 'default', name: 'example' };
  const cluster = await client.resource(etcdClusters.resource).create({ metadata: key, spec: { size: 3 } });
  const spec = { containers: [{ name: 'etcd', image: 'etcd' }] };
  for (const [name, labels] of [
    ['served', { app: 'etcd', etcd_cluster: 'example' }],
    ['isolated', { etcd_cluster: 'example' }],
    ['another', { app: 'etcd', etcd_cluster: 'other' }],
  ] as const)
    await client.resource(pods).create({ metadata: { namespace: 'default', name, labels }, spec });
  const found = await fromServer(client, cluster, new AbortController().signal);
  expect(found?.pods.map(({ metadata }) => metadata?.name)).toEqual(['isolated', 'served']);
});

test('a pod with the label of image checks that another made is none of ours', () => {
  const cluster = { metadata: { name: 'example', namespace: 'default', uid: 'ours' }, spec: { size: 3 } };
  const podOwnedBy = (uid: string) => ({
    metadata: { name: `of-${uid}`, labels: {}, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid }] },
  });
  const member = podOwnedBy('ours');
  const labelled = { metadata: { ...member.metadata, name: 'member', labels: { etcd_cluster: 'example' } } };
  const unowned = { metadata: { name: 'finished-job' } };
  const { imageChecks } = fromCaches(cluster, {
    pods: () => [],
    imageChecks: () => [podOwnedBy('ours'), podOwnedBy('another'), labelled, unowned],
    volumes: () => [],
    service: () => undefined,
    budget: () => undefined,
    node: () => undefined,
    isNodeAbsent: () => false,
  });
  expect(imageChecks.map(({ metadata }) => metadata?.name)).toEqual(['of-ours']);
});
