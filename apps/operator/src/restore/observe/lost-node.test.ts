// SPDX-License-Identifier: Apache-2.0
import { createClient, nodes } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterAll, describe, expect, test } from 'vitest';
import { isUnreachable } from './lost-node.ts';

const server = createApiServer();
const client = createClient(server.transport());
afterAll(() => server.close());

const { signal } = new AbortController();

async function node(name: string, ready: 'True' | 'Unknown', taint?: string): Promise<void> {
  const taints = taint === undefined ? [] : [{ key: taint, effect: 'NoExecute' as const }];
  await client.resource(nodes).create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
  const conditions = [{ type: 'Ready', status: ready }];
  await client.resource(nodes).status.patch({ name }, { type: 'merge', patch: { status: { conditions } } });
}

describe('a node may still run containers that Kubernetes does not see', () => {
  test('while it does not report, until it is deleted or declared out of service', async () => {
    await node('reports', 'True');
    await node('unreachable', 'Unknown', 'node.kubernetes.io/unreachable');
    await node('declared', 'Unknown', 'node.kubernetes.io/out-of-service');
    const ask = (name: string) => isUnreachable(name, { client, signal });
    expect(await Promise.all(['reports', 'unreachable', 'declared', 'deleted'].map(ask))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  test('which an operator that cannot read nodes does not know', async () => {
    expect(await isUnreachable('unreachable', { client, signal, readsNodes: false })).toBeUndefined();
  });
});
