// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import { type CustomResourceDefinition, createClient, customResourceDefinitions, events } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { status } from './status.ts';

test('events are those of this object, not of a deleted one with its name, and in the order of their time', async () => {
  const transport = createApiServer({}).transport();
  const client = createClient(transport);
  const { signal } = new AbortController();
  const definition = readFileSync(join(import.meta.dirname, '../../../../deploy/crds/etcdclusters.yaml'), 'utf8');
  await client.resource(customResourceDefinitions).create(parse(definition) as CustomResourceDefinition);
  const key = { namespace: 'default', name: 'recreated' };
  const clusters = client.resource(etcdClusters.resource);
  const create = (): Promise<EtcdCluster> => clusters.create({ metadata: key, spec: { size: 1 } });
  const tell = (of: EtcdCluster, name: string, message: string) =>
    client.resource(events).create({
      metadata: { namespace: 'default', name },
      involvedObject: { kind: 'EtcdCluster', ...key, ...(of.metadata?.uid && { uid: of.metadata.uid }) },
      reason: 'Told',
      message,
      // All in the same second, like the steps of an operator.
      lastTimestamp: '2026-01-01T00:00:00Z',
    });
  const old = await create();
  await tell(old, 'reborn.1', 'of the old one');
  await clusters.delete(key);
  const fresh = await create();
  for (const [name, message] of Object.entries({ z: 'first', a: 'second', m: 'third' }))
    await tell(fresh, `reborn.${name}`, message);
  const access = { client, transport, namespace: 'default', clock: systemClock, signal, tell: () => undefined };
  const report = await status(access, 'recreated');
  expect(report.data).toMatchObject({ events: ['first', 'second', 'third'].map((message) => ({ message })) });
  await transport.close();
});
