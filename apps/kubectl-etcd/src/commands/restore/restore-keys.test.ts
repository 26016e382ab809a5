// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { etcdClusters, etcdRestores } from '@etcd-operator/operator';
import { type CustomResourceDefinition, createClient, customResourceDefinitions } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../command-line.ts';
import { restore } from './restore.ts';

const transport = createApiServer({}).transport();
const client = createClient(transport);
const { signal } = new AbortController();
const access = { client, transport, namespace: 'default', clock: systemClock, signal, tell: () => undefined };
const restores = client.resource(etcdRestores.resource);
const key = { namespace: 'default', name: 'c-keys' };

beforeAll(async () => {
  for (const kind of ['etcdclusters', 'etcdrestores']) {
    const definition = readFileSync(join(import.meta.dirname, `../../../../../deploy/crds/${kind}.yaml`), 'utf8');
    await client.resource(customResourceDefinitions).create(parse(definition) as CustomResourceDefinition);
  }
  await client
    .resource(etcdClusters.resource)
    .create({ metadata: { namespace: 'default', name: 'c' }, spec: { size: 1 } });
});
afterAll(() => transport.close());

/** The command line `kubectl etcd restore c --s3-path b/k --aws-secret a`. */
async function typed(line: string): Promise<string> {
  const words = `restore c --s3-path b/k --aws-secret a ${line}`.split(' ');
  const { command } = parseCommandLine(words);
  if (command.kind !== 'restore') throw new Error('no restore');
  const { lines } = await restore(access, command);
  return lines(false).join('\n');
}

const counts = { puts: 3, creates: 1, leased: 1, deletes: 2, unchanged: 7 };

/** The operator's status for the present spec. */
async function reported(more: object): Promise<void> {
  const { metadata } = await restores.get(key);
  const { generation = 0 } = metadata ?? {};
  const compared = { compared: ['/a/'], sha256: 'ab', clusterID: 'c1', revision: 90, ...counts };
  const prefixes = { generation, dryRun: false, ...compared, ...more };
  const status = { succeeded: true, phase: 'Succeeded', observedGeneration: generation, prefixes };
  await restores.status.patch(key, { type: 'merge', patch: { status } });
}

test('keys are counted, and then written by the same EtcdRestore; without --yes nothing is created', async () => {
  await expect(typed('--prefix /a/')).rejects.toThrow(
    'this command replaces the keys of EtcdCluster c that begin with /a/',
  );
  await expect(restores.get(key)).rejects.toThrow('not found');
  expect(await typed('--prefix /a/ --dry-run')).toContain('EtcdRestore c-keys is in progress');
  const { spec } = await restores.get(key);
  expect(spec).toMatchObject({ etcdCluster: { name: 'c' }, s3: { path: 'b/k' }, prefixes: ['/a/'], dryRun: true });
  await reported({ dryRun: true });
  // Other keys make it another restore.
  await expect(typed('--prefix /a/ --prefix /b/ --yes')).rejects.toThrow('kubectl delete etcdrestore c-keys');
  const writing = typed('--prefix /a/ --yes --wait');
  await expect.poll(async () => (await restores.get(key)).spec.dryRun).toBe(false);
  await reported({ writtenRevision: 95 });
  expect(await writing).toBe(
    'EtcdCluster c: 3 keys written (1 of them new), 2 deleted, 7 already the same as in the backup. 1 key had a lease in the backup and has no lease now.',
  );
  await expect(typed('--prefix /a/ --yes')).rejects.toThrow('exists already');
  await restores.delete(key);
});

test('a dry run says what it has counted, and what others have changed is overwritten only if that is asked for', async () => {
  const counting = typed('--prefix /a/ --dry-run --wait');
  await expect.poll(() => restores.get(key).catch(() => undefined)).toBeDefined();
  await reported({ dryRun: true });
  expect(await counting).toBe(
    'Dry run: nothing was written. At revision 90, the restore would give: 3 keys written (1 of them new), 2 deleted, 7 already the same as in the backup.',
  );
  await typed('--prefix /a/ --yes --overwrite');
  expect((await restores.get(key)).spec).toMatchObject({ dryRun: false, onConflict: 'Overwrite' });
});
