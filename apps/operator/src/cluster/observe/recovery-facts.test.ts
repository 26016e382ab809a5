// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { createClient, customResourceDefinitions, namespaces } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { expect, test } from 'vitest';
import { etcdRestores } from '../../api/etcd-restore.ts';
import type { Observation } from '../observation.ts';
import { healthy, noQuorum, nothing, spec } from '../plan/testing/situations/vocabulary.ts';
import { recoveryFacts } from './recovery-facts.ts';

const { signal } = new AbortController();
const lost = (quorumLoss: 'Manual' | 'Automatic'): Observation =>
  [healthy(3), spec({ quorumLoss }), noQuorum].reduce((seen, change) => change(seen), nothing());

test('the recovery of this incarnation is read, and only where it matters', async () => {
  const server = createApiServer({});
  const client = createClient(server.transport());
  await client.resource(customResourceDefinitions).create(crdOf(etcdRestores));
  await client.resource(namespaces).create({ metadata: { name: 'ns' } });
  expect(await recoveryFacts(client, lost('Manual'), signal)).toBeUndefined();
  expect(await recoveryFacts(client, healthy(3, { quorumLoss: 'Automatic' })(nothing()), signal)).toBeUndefined();
  expect(await recoveryFacts(client, lost('Automatic'), signal)).toEqual({ kind: 'none' });
  const restores = client.resource(etcdRestores.resource);
  const metadata = { namespace: 'ns', name: 'c-recovery-c1' };
  await restores.create({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata,
    spec: { etcdCluster: { name: 'c' }, source: { survivor: {} } },
  });
  expect(await recoveryFacts(client, lost('Automatic'), signal)).toEqual({ kind: 'begun', phase: '', reason: '' });
  const status = { succeeded: false, phase: 'Failed', reason: 'no' } as const;
  await restores.status.patch(metadata, { type: 'merge', patch: { status } });
  expect(await recoveryFacts(client, lost('Automatic'), signal)).toEqual({
    kind: 'begun',
    phase: 'Failed',
    reason: 'no',
  });
  await server.close();
});

test('without the right to read it, nothing is known of it', async () => {
  const server = createApiServer({});
  await createClient(server.transport()).resource(customResourceDefinitions).create(crdOf(etcdRestores));
  const unprivileged = createClient(server.transport({ user: 'somebody', groups: ['system:authenticated'] }));
  expect(await recoveryFacts(unprivileged, lost('Automatic'), signal)).toMatchObject({ kind: 'unknown' });
  await server.close();
});
