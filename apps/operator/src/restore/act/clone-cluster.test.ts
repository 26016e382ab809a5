// SPDX-License-Identifier: Apache-2.0
import { FakeMember } from '@operator-parts/etcd/testing';
import { createClient, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { installCrd } from '../../api/install-crd.ts';
import { clusterLabels, labels } from '../../api/names.ts';
import { modelSource } from '../testing/model-source.ts';
import { deliverClone, inspectCluster } from './clone-cluster.ts';

const server = createApiServer();
const client = createClient(server.transport());
const { signal } = new AbortController();

beforeAll(async () => {
  await installCrd(etcdClusters, { client, clock: systemClock, log: silentLogger, signal });
  await client.resource(etcdClusters.resource).create({
    ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster' },
    metadata: { name: 'early', namespace: 'default' },
    spec: { size: 1, auth: { secret: 'issued-later' } },
  });
});
afterAll(() => server.close());

test.each([
  ['a cluster that is not there yet', 'nobody', 'does not exist'],
  ['a cluster whose Secret is not there yet', 'early', 'secret/issued-later does not exist'],
])('%s is waited for: both may be applied after the EtcdRestore', async (_what, name, why) => {
  const search = {
    client,
    clock: systemClock,
    namespace: 'default',
    signal,
    dial: () => Promise.reject(new Error('nobody is asked')),
  };
  const inspected = inspectCluster(name, search, { signal, onProgress: () => undefined });
  await expect(inspected).rejects.toMatchObject({ code: 'NotDelivered', message: expect.stringContaining(why) });
});

/**
 * An EtcdCluster with this cluster ID and one member. Field 1 of a status is its header, whose field 1 is the cluster ID and 2 the member
 * ID.
 */
async function clusterWith(name: string, clusterID: number): Promise<FakeMember> {
  const clusters = client.resource(etcdClusters.resource);
  const object = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster' } as const;
  const metadata = { name, namespace: 'default' };
  const { metadata: created } = await clusters.create({ ...object, metadata, spec: { size: 1 } });
  const status = { clusterID: clusterID.toString(16), incarnation: 1 };
  await clusters.status.patch(metadata, { type: 'merge', patch: { status } });
  const owner = { apiVersion: object.apiVersion, kind: object.kind, name, uid: created?.uid ?? '', controller: true };
  const own = { ...clusterLabels(name), [labels.incarnation]: '1' };
  await client.resource(pods).create({
    metadata: { name: `${name}-a`, namespace: 'default', labels: own, ownerReferences: [owner] },
    spec: { containers: [{ name: 'etcd', image: 'etcd' }] },
  });
  const ip = { status: { phase: 'Running', podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] } };
  const pod = { name: `${name}-a`, namespace: 'default' };
  await client.resource(pods).status.patch(pod, { type: 'merge', patch: ip });
  return new FakeMember((call) => {
    if (call.method === 'Maintenance/Status') call.reply(Uint8Array.of(0x0a, 4, 0x08, clusterID, 0x10, 1));
    else call.refuse(14, 'cut off');
  });
}

test('another cluster of the same name is not copied: it was made, or restored, after the first one was recorded', async () => {
  const member = await clusterWith('replaced', 0x2b);
  const search = { client, clock: systemClock, namespace: 'default', signal, dial: member.dial };
  const nobody = () => Promise.reject(new Error('nothing is delivered'));
  const uid = 'r';
  const agent = { ip: '10.0.0.8', uid, key: Buffer.alloc(32), dial: nobody, clock: systemClock, patience: 0 };
  const deliver = (clusterID: string) => {
    const source = { ...modelSource, clusterID };
    const to = { ...agent, fence: () => undefined };
    return deliverClone('replaced', { source, agent: to, search }, { signal, onProgress: () => undefined });
  };
  await expect(deliver('2a')).rejects.toMatchObject({
    code: 'SourceRefused',
    message: expect.stringContaining('etcdcluster/replaced was replaced or restored after this restore began'),
  });
  expect(member.calls.map(({ method }) => method)).toEqual(['Maintenance/Status']);
  // The cluster with the recorded ID is asked for its data.
  await expect(deliver('2b')).rejects.toThrow('cut off');
  expect(member.calls.map(({ method }) => method)).toContain('KV/Range');
});
