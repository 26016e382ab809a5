// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { silentLogger, systemClock } from '@etcd-operator/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdRestore, etcdRestores } from './etcd-restore.ts';
import { installCrd } from './install-crd.ts';

const server = createApiServer();
const client = createClient(server.transport());
const restores = client.resource(etcdRestores.resource);
const example = resolve(import.meta.dirname, '../../../../example/etcd-restore-operator/restore_cr.yaml');

beforeAll(async () => {
  const signal = AbortSignal.timeout(30_000);
  await installCrd(etcdRestores, { client, clock: systemClock, log: silentLogger, signal });
});
afterAll(() => server.close());

const restore = (name: string, spec: unknown): EtcdRestore =>
  ({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace: 'default' },
    spec,
  }) as EtcdRestore;

const s3 = { path: 'bucket/key', awsSecret: 'aws' };
const etcdCluster = { name: 'example' };

describe('an API server', () => {
  test.each<readonly [string, object]>([
    [
      'S3 as the original serialises it',
      { backupStorageType: 'S3', etcdCluster, s3: { ...s3, endpoint: '', forcePathStyle: false } },
    ],
    ['ABS', { backupStorageType: 'ABS', etcdCluster, abs: { path: 'c/k', absSecret: 's' } }],
    ['GCS without a secret', { backupStorageType: 'GCS', etcdCluster, gcs: { path: 'b/k' } }],
    ['OSS', { backupStorageType: 'OSS', etcdCluster, oss: { path: 'b/k', ossSecret: 's' } }],
    ['a spec for a cluster that is gone', { backupStorageType: 'S3', etcdCluster, s3, clusterSpec: { size: 3 } }],
    ...(['Required', 'IfPossible', true, false] as const).map(
      (safetySnapshot) =>
        [`safetySnapshot: ${safetySnapshot}`, { backupStorageType: 'S3', etcdCluster, s3, safetySnapshot }] as const,
    ),
    ['a retention of old volumes', { backupStorageType: 'S3', etcdCluster, s3, oldVolumes: { retention: '72h' } }],
    ['fields that nobody knows', { backupStorageType: 'S3', etcdCluster, s3, future: { field: 1 } }],
  ])('takes %s', async (_what, spec) => {
    const name = `taken-${Math.abs(JSON.stringify(spec).length)}`;
    const made = await restores.create(restore(name, spec));
    expect(made.spec).toMatchObject(spec);
    await restores.delete({ namespace: 'default', name });
  });

  test.each<readonly [string, object, string]>([
    ['a storage type that nobody knows', { backupStorageType: 'Tape', etcdCluster, s3 }, 'backupStorageType'],
    ['a type without its source', { backupStorageType: 'GCS', etcdCluster, s3 }, 'gcs.path'],
    ['no cluster', { backupStorageType: 'S3', s3 }, 'etcdCluster'],
    ['a cluster of nine', { backupStorageType: 'S3', etcdCluster, s3, clusterSpec: { size: 9 } }, 'between 1 and 7'],
    [
      'a safety snapshot of another kind',
      { backupStorageType: 'S3', etcdCluster, s3, safetySnapshot: 'Maybe' },
      'safetySnapshot',
    ],
    [
      'a safety snapshot that is a number',
      { backupStorageType: 'S3', etcdCluster, s3, safetySnapshot: 1 },
      'safetySnapshot',
    ],
    [
      'a retention that is no duration',
      { backupStorageType: 'S3', etcdCluster, s3, oldVolumes: { retention: '3 days' } },
      'retention',
    ],
    ['a negative bump', { backupStorageType: 'S3', etcdCluster, s3, revisionBump: -1 }, 'revisionBump'],
  ])('refuses %s', async (_what, spec, words) => {
    await expect(restores.create(restore('refused', spec))).rejects.toThrow(words);
  });
});

test('the cluster of a restore that is under way cannot be another: what it has marked would be left so for ever', async () => {
  const key = { namespace: 'default', name: 'under-way' };
  await restores.create(restore(key.name, { backupStorageType: 'S3', etcdCluster, s3 }));
  const say = (phase: string) =>
    restores.status.patch(key, { type: 'merge', patch: { status: { succeeded: false, phase } } });
  const name = () => restores.patch(key, { type: 'merge', patch: { spec: { etcdCluster: { name: 'other' } } } });
  await say('Fencing');
  await expect(name()).rejects.toThrow('make another EtcdRestore');
  await say('Failed');
  expect((await name()).spec.etcdCluster.name).toBe('other');
  await restores.delete(key);
});

test('[89] C-31 the walk-through types its restore with sed, and the file has every place for it', async () => {
  const { stdout } = await promisify(execFile)('sed', [
    '-e',
    's|<full-s3-path>|mybucket/etcd.backup|g',
    '-e',
    's|<aws-secret>|aws|g',
    example,
  ]);
  expect(await readFile(example, 'utf8')).toMatch(/<full-s3-path>[\s\S]*<aws-secret>/);
  expect(stdout).not.toMatch(/<[a-z0-9-]+>/);
  expect(stdout).toContain('path: mybucket/etcd.backup');
  expect(stdout).toContain('awsSecret: aws');
  expect(stdout).toMatch(/kind: EtcdRestore\nmetadata:\n(.*\n)? {2}name: example-etcd-cluster/);
});
