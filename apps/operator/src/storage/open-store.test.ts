// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@etcd-operator/blob';
import { describe, expect, test } from 'vitest';
import type { StorageSources } from '../api/storage-source.ts';
import { type OpenedStorage, openStore, type StorageSettings } from './open-store.ts';
import type { SecretData } from './secret-reader.ts';

const marker = 'MARKER-secret-1f0c';
const secrets: Readonly<Record<string, SecretData>> = {
  aws: {
    credentials: `[default]\naws_access_key_id = key\naws_secret_access_key = ${marker}\n`,
    config: '[default]\nregion = eu-central-1\n',
  },
  azure: { 'storage-account': 'account', 'storage-key': Buffer.from(marker).toString('base64') },
  google: { 'access-token': marker },
  alibaba: { accessKeyID: 'key', accessKeySecret: marker },
  empty: {},
};

async function open(type: string, sources: StorageSources, settings?: StorageSettings): Promise<OpenedStorage> {
  const asked: string[] = [];
  const readSecret = async (name: string) => {
    asked.push(name);
    return secrets[name];
  };
  const opened = await openStore({ type, sources, namespace: 'tenant', readSecret }, settings);
  opened.store.close();
  return opened;
}

describe('[75] the storage that an object names', () => {
  test.each([
    ['S3', { s3: { path: 'bucket/a/b', awsSecret: 'aws' } }, 's3://bucket'],
    ['S3', { s3: { path: 'bucket/a/b' } }, 's3://bucket'],
    ['S3', { s3: { path: 'bucket/a/b', awsSecret: 'empty' } }, 's3://bucket'],
    ['ABS', { abs: { path: 'bucket/a/b', absSecret: 'azure' } }, 'bucket'],
    ['GCS', { gcs: { path: 'bucket/a/b', gcpSecret: 'google' } }, 'bucket'],
    ['GCS', { gcs: { path: 'bucket/a/b' } }, 'bucket'],
    ['OSS', { oss: { path: 'bucket/a/b', ossSecret: 'alibaba' } }, 'oss://bucket'],
  ] as const)('%s of %j is opened without a request', async (type, sources, location) => {
    const { store, place } = await open(type, sources);
    expect(store.location).toContain(location);
    expect(place).toMatchObject({ type, bucket: 'bucket', key: 'a/b', path: 'bucket/a/b' });
  });

  test('[88] in a directory each namespace has a folder of its own', async () => {
    const { place } = await open('Directory', { directory: { path: 'a/b' } }, { directory: '/backups' });
    expect(place).toMatchObject({ type: 'Directory', key: 'tenant/a/b' });
  });

  test.each([
    ['FTP', {}, 'UnknownStorage', 'use one of S3, ABS, GCS, OSS, Directory'],
    ['s3', { s3: { path: 'a/b' } }, 'UnknownStorage', 'unknown storage type "s3"'],
    ['S3', {}, 'SourceMissing', 'spec.s3.path is missing'],
    ['S3', { s3: null }, 'SourceMissing', 'spec.s3.path is missing'],
    ['S3', { s3: {} }, 'SourceMissing', 'spec.s3.path is missing'],
    ['GCS', { s3: { path: 'a/b' } }, 'SourceMissing', 'spec.gcs.path is missing'],
    ['ABS', { abs: { path: 'a/b' } }, 'SourceMissing', 'spec.abs.absSecret is missing'],
    ['OSS', { oss: { path: 'a/b' } }, 'SourceMissing', 'spec.oss.ossSecret is missing'],
    ['S3', { s3: { path: 'nokey' } }, 'InvalidPath', 'Invalid S3 path (nokey)'],
    ['ABS', { abs: { path: '/x' } }, 'InvalidPath', 'Invalid S3 path (/x)'],
    ['S3', { s3: { path: 'a/b', awsSecret: 'gone' } }, 'SecretMissing', 'secret gone does not exist'],
    ['GCS', { gcs: { path: 'a/b', gcpSecret: 'gone' } }, 'SecretMissing', 'secret gone does not exist'],
    ['ABS', { abs: { path: 'a/b', absSecret: 'empty' } }, 'SecretInvalid', 'secret empty: '],
    ['OSS', { oss: { path: 'a/b', ossSecret: 'empty' } }, 'SecretInvalid', 'accessKeyID and accessKeySecret'],
    ['S3', { s3: { path: 'a/b', caSecret: 'empty' } }, 'SecretInvalid', 'secret empty lacks ca.crt'],
    ['Directory', { directory: { path: 'a' } }, 'NotConfigured', '-backup-directory'],
  ] as const)('D2: %s of %j is refused as %s', async (type, sources, code, message) => {
    const refused = await open(type, sources).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'StorageError', code });
    expect(String(refused)).toContain(message);
    expect(JSON.stringify(refused)).not.toContain(marker);
  });

  test.each(['http://169.254.169.254/', 'http://127.0.0.1:9000', 'http://localhost', 'ftp://x', 'http://[::1]:80'])(
    'security 8: the endpoint %s is refused',
    async (endpoint) => {
      const refused = await open('S3', { s3: { path: 'bucket/b', endpoint } }).catch((error: unknown) => error);
      expect(isBlobError(refused, 'Configuration')).toBe(true);
    },
  );

  test('security 8: the operator may narrow endpoints to patterns', async () => {
    const policy = { allow: ['*.example.com'] };
    const s3 = (endpoint: string) => open('S3', { s3: { path: 'bucket/b', endpoint } }, { policy });
    await expect(s3('https://minio.example.com')).resolves.toBeDefined();
    await expect(s3('https://minio.other.com')).rejects.toThrow('not among those that are allowed');
  });
});
