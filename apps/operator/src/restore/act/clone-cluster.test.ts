// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { silentLogger, systemClock } from '@etcd-operator/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { installCrd } from '../../api/install-crd.ts';
import { lookAtCluster } from './clone-cluster.ts';

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
  const looked = lookAtCluster(name, search, { signal, onProgress: () => undefined });
  await expect(looked).rejects.toMatchObject({ code: 'NotDelivered', message: expect.stringContaining(why) });
});
