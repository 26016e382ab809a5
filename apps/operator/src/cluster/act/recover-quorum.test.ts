// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { createClient, customResourceDefinitions, persistentVolumeClaims } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { describe, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { etcdRestores } from '../../api/etcd-restore.ts';
import { annotations, clusterLabels } from '../../api/names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { clusterWith } from '../../testing/api-server-scene.ts';
import { ownerOf } from '../objects/owner.ts';
import { act } from './act.ts';
import { PlanTooOld } from './plan-age.ts';
import { contextOf } from './testing/context-of.ts';

const step = { do: 'recoverQuorum', name: 'c-recovery-c1', clusterId: 'c1', lost: ['c-x', 'c-y'] } as const;
const key = { namespace: 'default', name: step.name };

async function scene() {
  const client = createClient(createApiServer({}).transport());
  await client.resource(customResourceDefinitions).create(crdOf(etcdClusters));
  await client.resource(customResourceDefinitions).create(crdOf(etcdRestores));
  const wanted = clusterWith('c', { size: 3 }, {});
  const metadata = { ...wanted.metadata, annotations: { [annotations.scope]: 'mine' } };
  const cluster = await client.resource(etcdClusters.resource).create({ ...wanted, metadata });
  return { client, cluster, restores: client.resource(etcdRestores.resource) };
}

describe('the EtcdRestore that recovers a cluster by itself', () => {
  test('is of this cluster, of whoever looks after it, and names no member: the restore compares them', async () => {
    const { client, cluster, restores } = await scene();
    expect(await act(step, contextOf(client, cluster))).toEqual({ kind: 'done' });
    const { metadata, spec } = await restores.get(key);
    expect(spec).toEqual({ etcdCluster: { name: 'c' }, source: { survivor: {} } });
    expect(metadata?.ownerReferences).toEqual([ownerOf(identityOf(cluster))]);
    expect(metadata?.annotations?.[annotations.scope]).toBe('mine');
  });

  test('is created once: two operators collide, and the first one is left as it is', async () => {
    const { client, cluster, restores } = await scene();
    await act(step, contextOf(client, cluster));
    const { metadata } = await restores.get(key);
    const again = await Promise.all([1, 2].map(() => act(step, contextOf(client, cluster))));
    expect(again).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect((await restores.get(key)).metadata).toEqual(metadata);
    expect((await restores.list({ namespace: 'default' })).items).toHaveLength(1);
  });

  test('is not created while anything of a member that seems gone is there: it had only lost its labels', async () => {
    const { client, cluster, restores } = await scene();
    const volumes = client.resource(persistentVolumeClaims);
    const ownerReferences = [ownerOf(identityOf(cluster))];
    const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
    await volumes.create({ metadata: { name: 'c-y', namespace: 'default', ownerReferences }, spec });
    expect(await act(step, contextOf(client, cluster))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('not recovered without member c-y: its PersistentVolumeClaim had lost its labels'),
    });
    expect((await restores.list({ namespace: 'default' })).items).toEqual([]);
    const { metadata } = await volumes.get({ namespace: 'default', name: 'c-y' });
    expect(metadata?.labels).toMatchObject(clusterLabels('c'));
  });

  test('is not created on a plan that has become too old meanwhile', async () => {
    const { client, cluster, restores } = await scene();
    const fence = () => {
      throw new PlanTooOld(60_000);
    };
    await expect(act(step, contextOf(client, cluster, { fence }))).rejects.toThrow(PlanTooOld);
    expect((await restores.list({ namespace: 'default' })).items).toEqual([]);
  });
});
