// SPDX-License-Identifier: Apache-2.0
import { crdOf, type Kind } from '@operator-parts/crd';
import { type Client, createClient, customResourceDefinitions } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { describe, expect, test } from 'vitest';
import { clusterWith } from '../../testing/api-server-scene.ts';
import { type EtcdCluster, etcdClusters } from '../etcd-cluster.ts';
import { unseenStatus } from './unseen-status.ts';
import { writeStatus } from './write-status.ts';

const key = { namespace: 'default', name: 'c' };
const { signal } = new AbortController();

/** The CRD of this release, whose status has a default, and one of before, whose objects have no status at first. */
const { status: { default: _, ...status } = {}, ...others } = etcdClusters.schema.properties ?? {};
const before: Kind['schema'] = { ...etcdClusters.schema, properties: { ...others, status } };
const definitions = [
  { crds: 'of this release', kind: etcdClusters, unseen: unseenStatus },
  { crds: 'of an older release', kind: { ...etcdClusters, schema: before }, unseen: {} },
];

async function storedAs(kind: Kind): Promise<{ readonly client: Client; readonly cluster: EtcdCluster }> {
  const client = createClient(createApiServer({}).transport());
  await client.resource(customResourceDefinitions).create(crdOf(kind));
  const cluster = await client.resource(etcdClusters.resource).create(clusterWith('c', { size: 3 }, {}));
  return { client, cluster };
}

const clusters = (client: Client) => client.resource(etcdClusters.resource);

describe.each(definitions)('with the CRDs $crds', ({ kind, unseen }) => {
  test('safety 12: the status of an object that was deleted is not written to the next one of its name', async () => {
    const { client, cluster } = await storedAs(kind);
    const old = await writeStatus(clusters(client), cluster, { clusterID: 'c1', incarnation: 1 }, signal);
    await clusters(client).delete(key);
    const next = await clusters(client).create(clusterWith('c', { size: 3 }, {}));
    for (const gone of [cluster, old]) {
      await expect(writeStatus(clusters(client), gone, { clusterID: 'c1' }, signal)).rejects.toThrow(
        /etcdclusters\/c\/status/,
      );
    }
    await writeStatus(clusters(client), next, { phase: 'Creating' }, signal);
    await expect(writeStatus(clusters(client), old, { clusterID: 'c1' }, signal)).rejects.toThrow(
      'rejected our request',
    );
    expect((await clusters(client).get(key)).status).toEqual({ ...unseen, phase: 'Creating' });
  });

  test('fields that are not named stay, also those that were written meanwhile', async () => {
    const { client, cluster } = await storedAs(kind);
    const seen = await writeStatus(clusters(client), cluster, { phase: 'Creating', reason: 'x' }, signal);
    await writeStatus(clusters(client), seen, { clusterID: 'c1' }, signal);
    const changes = { phase: 'Running', reason: undefined, targetVersion: undefined };
    const written = await writeStatus(clusters(client), seen, changes, signal);
    expect(written.status).toEqual({ ...unseen, phase: 'Running', clusterID: 'c1' });
  });

  test('a first status is added to what was written meanwhile', async () => {
    const { client, cluster } = await storedAs(kind);
    await writeStatus(clusters(client), cluster, { clusterID: 'c1' }, signal);
    await writeStatus(clusters(client), cluster, { phase: 'Creating' }, signal);
    expect((await clusters(client).get(key)).status).toEqual({ ...unseen, clusterID: 'c1', phase: 'Creating' });
  });

  test('a status that is gone is written again', async () => {
    const { client, cluster } = await storedAs(kind);
    await writeStatus(clusters(client), { ...cluster, status: { phase: 'Creating' } }, { phase: 'Running' }, signal);
    expect((await clusters(client).get(key)).status).toEqual({ ...unseen, phase: 'Running' });
  });
});
