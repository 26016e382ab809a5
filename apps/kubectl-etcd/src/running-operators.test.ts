// SPDX-License-Identifier: Apache-2.0
import { createClient, leases } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { operatorLines } from './render/operators.ts';
import { runningOperators } from './running-operators.ts';

test('operators are known by their Leases, whether they are alive by when they renewed them', async () => {
  const server = createApiServer({});
  const transport = server.transport();
  const client = createClient(transport);
  const clock = new VirtualClock();
  const renewTime = (secondsAgo: number) =>
    new Date(clock.now() - secondsAgo * 1000).toISOString().replace('Z', '000Z');
  const held = (name: string, holderIdentity: string, secondsAgo: number) =>
    client.resource(leases).create({
      metadata: { namespace: 'default', name },
      spec: { holderIdentity, renewTime: renewTime(secondsAgo), leaseDurationSeconds: 15 },
    });
  await held('etcd-operator-cluster-wide', 'wide-1', 2);
  await held('etcd-operator', 'near-1', 40);
  await held('etcd-backup-operator', '', 5);
  await held('kube-scheduler', 'other', 1);
  const { signal } = new AbortController();
  const found = await runningOperators({
    client,
    transport,
    namespace: 'default',
    clock,
    signal,
    tell: () => undefined,
  });
  expect(operatorLines(found).toSorted()).toEqual([
    'OPERATOR               MANAGES             WORKING POD      RENEWED',
    'etcd-backup-operator   namespace default   none             5 s ago',
    'etcd-operator          all namespaces      default/wide-1   2 s ago',
    'etcd-operator          namespace default   none             40 s ago',
  ]);
  await transport.close();
});

test('where none was found, that is said', () => {
  expect(operatorLines([])).toEqual([
    'No operator was found. Either no operator runs, or you may not read the Leases of operators.',
  ]);
});
