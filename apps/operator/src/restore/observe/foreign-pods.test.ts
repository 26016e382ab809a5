// SPDX-License-Identifier: Apache-2.0
import { createClient, KubeError, nodes, type Pod, type Transport } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foreignPodsOf } from './foreign-pods.ts';

const server = createApiServer();
const client = createClient(server.transport());
const { signal } = new AbortController();

beforeAll(async () => {
  await client.resource(nodes).create({ metadata: { name: 'alive' } });
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
  await client.resource(nodes).create({ metadata: { name: 'declared-off' }, spec: { taints } });
});
afterAll(() => server.close());

const pod = (nodeName: string, isEnding = true): Pod => ({
  metadata: { name: 'p', ...(isEnding && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec: { containers: [], nodeName },
});

test.each<readonly [string, Pod, boolean]>([
  ['on a node that is there', pod('alive'), false],
  ['on a node that is declared out of service', pod('declared-off'), true],
  ['on a node that is gone', pod('gone'), true],
  ['on a node that is gone, and that nobody has told to end', pod('gone', false), false],
  ['on no node yet', pod(''), false],
])('a pod of a deleted cluster %s', async (_what, foreignPod, isOnLostNode) => {
  expect(await foreignPodsOf([foreignPod], { client, signal })).toMatchObject([{ name: 'p', isOnLostNode }]);
});

test('without the right to read nodes none counts as lost', async () => {
  const refusing: Transport = {
    ...server.transport(),
    request: () => Promise.reject(new KubeError('Forbidden', 'nodes is forbidden')),
  };
  const found = await foreignPodsOf([pod('gone')], { client: createClient(refusing), signal });
  expect(found).toMatchObject([{ isOnLostNode: false }]);
});
