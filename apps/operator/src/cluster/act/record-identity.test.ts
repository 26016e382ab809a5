// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { type Client, createClient, customResourceDefinitions } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { describe, expect, test } from 'vitest';
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import { clusterWith } from '../../testing/api-server-scene.ts';
import { act } from './act.ts';
import { recordIdentity } from './object-steps.ts';
import { contextOf } from './testing/context-of.ts';

const key = { namespace: 'default', name: 'c' };
const step = { do: 'recordIdentity', clusterId: 'c1', incarnation: 1, bootstrapVersion: '3.6.16' } as const;

async function stored(): Promise<{ readonly client: Client; readonly cluster: EtcdCluster }> {
  const client = createClient(createApiServer({}).transport());
  await client.resource(customResourceDefinitions).create(crdOf(etcdClusters));
  const cluster = await client.resource(etcdClusters.resource).create(clusterWith('c', { size: 3 }, {}));
  return { client, cluster };
}

describe('operator rule 5: the recorded cluster ID', () => {
  test('is written to the annotations and to the status', async () => {
    const { client, cluster } = await stored();
    expect(await recordIdentity(step, contextOf(client, cluster, { clusterId: '' }))).toEqual({ kind: 'done' });
    const { metadata, status } = await client.resource(etcdClusters.resource).get(key);
    expect(metadata?.annotations).toMatchObject({ [annotations.clusterId]: 'c1', [annotations.incarnation]: '1' });
    expect(status).toMatchObject({ clusterID: 'c1', incarnation: 1 });
  });

  test('is not written over one that was written since the object was read', async () => {
    const { client, cluster } = await stored();
    const other = { type: 'merge', patch: { metadata: { annotations: { [annotations.clusterId]: 'c2' } } } } as const;
    await client.resource(etcdClusters.resource).patch(key, other);
    expect((await recordIdentity(step, contextOf(client, cluster, { clusterId: '' }))).kind).toBe('refused');
    const { metadata, status } = await client.resource(etcdClusters.resource).get(key);
    expect(metadata?.annotations?.[annotations.clusterId]).toBe('c2');
    expect(status?.clusterID).toBeUndefined();
  });

  test('is not written to another object of the same name', async () => {
    const { client, cluster } = await stored();
    await client.resource(etcdClusters.resource).delete(key);
    await client.resource(etcdClusters.resource).create(clusterWith('c', { size: 3 }, {}));
    expect((await recordIdentity(step, contextOf(client, cluster, { clusterId: '' }))).kind).toBe('refused');
    const { metadata } = await client.resource(etcdClusters.resource).get(key);
    expect(metadata?.annotations?.[annotations.clusterId]).toBeUndefined();
  });
});

describe('operator rule 3: the version a cluster was bootstrapped with', () => {
  const bootstrappedWith = async (version: string) => {
    const { client } = await stored();
    const patch = { metadata: { annotations: { [annotations.bootstrapVersion]: version } } };
    const cluster = await client.resource(etcdClusters.resource).patch(key, { type: 'merge', patch });
    return { client, cluster };
  };

  test.each([
    ['3.6.16', '3.5.0', '3.5.0'],
    ['3.5.33', '3.6.0', '3.5.33'],
    ['3.6.16', '3.6.0', '3.6.16'],
  ])(
    'bootstrapped with %s, a downgrade to %s leaves %s: entries of it are in the log before the next step up',
    async (first, target, left) => {
      const { client, cluster } = await bootstrappedWith(first);
      const context = contextOf(client, cluster, { clusterId: '' });
      await expect(act({ do: 'enableDowngrade', version: target }, context)).rejects.toThrow('no voter is reachable');
      const { metadata } = await client.resource(etcdClusters.resource).get(key);
      expect(metadata?.annotations?.[annotations.bootstrapVersion]).toBe(left);
    },
  );

  test('one that is not known stays so', async () => {
    const { client, cluster } = await stored();
    const context = contextOf(client, cluster, { clusterId: '' });
    await expect(act({ do: 'enableDowngrade', version: '3.5.0' }, context)).rejects.toThrow('no voter is reachable');
    const { metadata } = await client.resource(etcdClusters.resource).get(key);
    expect(metadata?.annotations?.[annotations.bootstrapVersion]).toBeUndefined();
  });
});
