// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { silentLogger, systemClock } from '@operator-parts/ports';
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
      'S3 as CoreOS serialises it',
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
    ['a survivor', { etcdCluster, source: { survivor: {} } }],
    ['a survivor by name', { etcdCluster, source: { survivor: { member: 'example-abc' } } }],
    ['a cluster to copy', { etcdCluster, source: { cluster: 'other' } }],
    ['a cluster to copy, with another spec', { etcdCluster, source: { cluster: 'other' }, clusterSpec: { size: 1 } }],
    ['prefixes', { backupStorageType: 'S3', etcdCluster, s3, prefixes: ['/a/', '/b'], dryRun: true }],
    [
      'prefixes of a point in time',
      { backupStorageType: 'S3', etcdCluster, s3, prefixes: ['/'], pointInTime: { revision: 7 } },
    ],
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
    ['no source at all', { etcdCluster }, 'backupStorageType must be one of'],
    ['an empty source', { etcdCluster, source: {} }, 'the field `source` must have exactly one of the fields'],
    [
      'two sources',
      { etcdCluster, source: { survivor: {}, cluster: 'other' } },
      'the field `source` must have exactly one of the fields',
    ],
    [
      'a cluster to copy and a backup',
      { backupStorageType: 'S3', etcdCluster, s3, source: { cluster: 'other' } },
      'the field `source` and a backup cannot be used together',
    ],
    [
      'a copy of itself',
      { etcdCluster, source: { cluster: etcdCluster.name } },
      'source.cluster and etcdCluster.name cannot be the same',
    ],
    [
      'a survivor and a backup',
      { backupStorageType: 'S3', etcdCluster, s3, source: { survivor: {} } },
      'because `source` takes the data from members',
    ],
    [
      'a survivor of a cluster that is to be created',
      { etcdCluster, source: { survivor: {} }, clusterSpec: { size: 3 } },
      'source.survivor recovers an existing EtcdCluster',
    ],
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
    ['an empty prefix', { backupStorageType: 'S3', etcdCluster, s3, prefixes: [''] }, 'prefixes'],
    ['no prefix', { backupStorageType: 'S3', etcdCluster, s3, prefixes: [] }, 'prefixes'],
    [
      'prefixes of a survivor',
      { etcdCluster, source: { survivor: {} }, prefixes: ['/a/'] },
      'the fields `prefixes` and `source` cannot be used together',
    ],
    [
      'prefixes of a cluster that is to be created',
      { backupStorageType: 'S3', etcdCluster, s3, prefixes: ['/a/'], clusterSpec: { size: 1 } },
      'remove clusterSpec, oldVolumes and revisionBump',
    ],
    [
      'a dry run of all',
      { backupStorageType: 'S3', etcdCluster, s3, dryRun: true },
      'dryRun and onConflict need prefixes',
    ],
    [
      'another answer to conflicts',
      { backupStorageType: 'S3', etcdCluster, s3, prefixes: ['/a/'], onConflict: 'Ask' },
      'onConflict',
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
  await say('Isolating');
  await expect(name()).rejects.toThrow('create another EtcdRestore');
  await say('Failed');
  expect((await name()).spec.etcdCluster.name).toBe('other');
  await restores.delete(key);
});

test('a restore of prefixes that has begun, such as a dry run, cannot become one of the whole cluster', async () => {
  const key = { namespace: 'default', name: 'counted' };
  const prefixes = ['/a/'];
  await restores.create(restore(key.name, { backupStorageType: 'S3', etcdCluster, s3, prefixes, dryRun: true }));
  await restores.status.patch(key, { type: 'merge', patch: { status: { succeeded: true, phase: 'Succeeded' } } });
  const change = (spec: object) => restores.patch(key, { type: 'merge', patch: { spec } });
  await expect(change({ prefixes: null, dryRun: null })).rejects.toThrow('spec.prefixes cannot be added or removed');
  expect((await change({ dryRun: false })).spec).toMatchObject({ prefixes, dryRun: false });
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
