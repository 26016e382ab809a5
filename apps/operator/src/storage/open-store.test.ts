// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@operator-parts/blob';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { StorageSources } from '../api/storage-source.ts';
import { apiServerHosts } from '../programs/api-server-hosts.ts';
import { type OpenedStorage, openStore, type StorageSettings } from './open-store.ts';
import type { SecretData } from './secret-reader.ts';

const marker = 'MARKER-secret-1f0c';
/** The config in each Secret of the test names one of these endpoints. */
const endpoints = [
  'http://169.254.169.254/',
  'http://127.0.0.1:9000',
  'https://minio.example.com',
  'https://minio.other.com',
  'https://minio.example.com/x',
];
const filesWith = (url: string): SecretData => ({
  credentials: `[default]\naws_access_key_id = key\naws_secret_access_key = ${marker}\n`,
  config: `[default]\nendpoint_url = ${url}\n`,
});
const secrets: Readonly<Record<string, SecretData>> = {
  aws: {
    credentials: `[default]\naws_access_key_id = key\naws_secret_access_key = ${marker}\n`,
    config: '[default]\nregion = eu-central-1\n',
  },
  ...Object.fromEntries(endpoints.map((url) => [url, filesWith(url)])),
  azure: { 'storage-account': 'account', 'storage-key': Buffer.from(marker).toString('base64') },
  google: { 'access-token': marker },
  alibaba: { accessKeyID: 'key', accessKeySecret: marker },
  role: { config: '[default]\nrole_arn = arn:aws:iam::1:role/backup\n' },
  'role with keys': {
    config: '[default]\nrole_arn = arn:aws:iam::1:role/backup\nsource_profile = keys\n',
    credentials: `[keys]\naws_access_key_id = key\naws_secret_access_key = ${marker}\n`,
  },
  ca: { 'ca.crt': 'irrelevant' },
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
    ['S3', { s3: { path: 'bucket/a/b', awsSecret: 'role with keys' } }, 's3://bucket'],
    ['ABS', { abs: { path: 'bucket/a/b', absSecret: 'azure' } }, 'bucket'],
    ['GCS', { gcs: { path: 'bucket/a/b', gcpSecret: 'google' } }, 'bucket'],
    ['OSS', { oss: { path: 'bucket/a/b', ossSecret: 'alibaba' } }, 'oss://bucket'],
  ] as const)('%s of %j is opened without a request', async (type, sources, location) => {
    const { store, place } = await open(type, sources);
    expect(store.location).toContain(location);
    expect(place).toMatchObject({ type, bucket: 'bucket', key: 'a/b', path: 'bucket/a/b' });
  });

  test.each([
    ['S3', { s3: { path: 'bucket/a', awsSecret: 'aws' } }, 'https://s3.eu-central-1.amazonaws.com/'],
    ['S3', { s3: { path: 'bucket/a', awsSecret: 'aws', region: 'eu-west-1' } }, 'https://s3.eu-west-1.amazonaws.com/'],
    ['S3', { s3: { path: 'bucket/a', awsSecret: 'aws', endpoint: 'https://S3.example' } }, 'https://s3.example/'],
    ['S3', { s3: { path: 'bucket/a', awsSecret: 'https://minio.example.com' } }, 'https://minio.example.com/'],
    ['ABS', { abs: { path: 'bucket/a', absSecret: 'azure' } }, 'https://account.blob.core.windows.net/'],
    ['GCS', { gcs: { path: 'bucket/a', gcpSecret: 'google' } }, 'https://storage.googleapis.com/'],
    ['OSS', { oss: { path: 'bucket/a', ossSecret: 'alibaba' } }, 'https://s3.oss-cn-hangzhou.aliyuncs.com/'],
  ] as const)('%s of %j is on a server of its own', async (type, sources, server) => {
    const { store } = await open(type, sources);
    expect(store.server).toBe(server);
  });

  test('[88] in a directory each namespace has a folder of its own', async () => {
    const { place } = await open('Directory', { directory: { path: 'a/b' } }, { directory: '/backups' });
    expect(place).toMatchObject({ type: 'Directory', key: 'tenant/a/b' });
  });

  test.each([
    ['FTP', {}, 'UnknownStorage', 'use S3, ABS, GCS, OSS, Directory'],
    ['s3', { s3: { path: 'a/b' } }, 'UnknownStorage', 'unknown storage type "s3"'],
    ['S3', {}, 'SourceMissing', 'spec.s3.path is required'],
    ['S3', { s3: null }, 'SourceMissing', 'spec.s3.path is required'],
    ['S3', { s3: {} }, 'SourceMissing', 'spec.s3.path is required'],
    ['GCS', { s3: { path: 'a/b' } }, 'SourceMissing', 'spec.gcs.path is required'],
    [
      'ABS',
      { abs: { path: 'a/b' } },
      'SourceMissing',
      'spec.abs.absSecret and spec.abs.storageAccount are both missing',
    ],
    ['ABS', { abs: { path: 'a/b', absSecret: 'empty', storageAccount: 'mine' } }, 'SecretInvalid', 'secret empty: '],
    ['OSS', { oss: { path: 'a/b' } }, 'SourceMissing', 'spec.oss.ossSecret is missing'],
    ['S3', { s3: { path: 'nokey' } }, 'InvalidPath', 'Invalid S3 path (nokey)'],
    ['ABS', { abs: { path: '/x' } }, 'InvalidPath', 'Invalid S3 path (/x)'],
    ['S3', { s3: { path: 'a/b', awsSecret: 'gone' } }, 'SecretMissing', 'secret gone does not exist'],
    ['GCS', { gcs: { path: 'a/b', gcpSecret: 'gone' } }, 'SecretMissing', 'secret gone does not exist'],
    ['ABS', { abs: { path: 'a/b', absSecret: 'empty' } }, 'SecretInvalid', 'secret empty: '],
    ['OSS', { oss: { path: 'a/b', ossSecret: 'empty' } }, 'SecretInvalid', 'accessKeyID and accessKeySecret'],
    [
      'S3',
      { s3: { path: 'a/b', awsSecret: 'aws', caSecret: 'empty' } },
      'SecretInvalid',
      'secret empty has no key ca.crt',
    ],
    ['Directory', { directory: { path: 'a' } }, 'NotConfigured', '-backup-directory'],
  ] as const)('D2: %s of %j is refused as %s', async (type, sources, code, message) => {
    const refused = await open(type, sources).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'StorageError', code });
    expect(String(refused)).toContain(message);
    expect(JSON.stringify(refused)).not.toContain(marker);
  });

  test.each(['http://169.254.169.254/', 'http://127.0.0.1:9000', 'http://localhost', 'ftp://x', 'http://[::1]:80'])(
    'security rule 8: the endpoint %s is refused',
    async (endpoint) => {
      const refused = await open('S3', { s3: { path: 'bucket/b', awsSecret: 'aws', endpoint } }).catch(
        (error: unknown) => error,
      );
      expect(isBlobError(refused, 'Configuration')).toBe(true);
    },
  );

  test.each(['http://169.254.169.254/', 'http://127.0.0.1:9000'])(
    'security rule 8: the endpoint %s is refused in the config of a Secret as well',
    async (awsSecret) => {
      const refused = await open('S3', { s3: { path: 'bucket/b', awsSecret } }).catch((error: unknown) => error);
      expect(isBlobError(refused, 'Configuration')).toBe(true);
    },
  );

  test('security rule 8: the API server is refused, in the spec and in the config of a Secret, whatever is allowed', async () => {
    const policy = { allow: ['*'], deny: apiServerHosts({ KUBERNETES_SERVICE_HOST: '10.96.0.1' }) };
    const named = ['https://kubernetes.default.svc', 'https://kubernetes.default', 'https://10.96.0.1'];
    for (const endpoint of named) {
      const s3 = { path: 'bucket/b', awsSecret: 'aws', endpoint };
      await expect(open('S3', { s3 }, { policy })).rejects.toThrow('never connects to');
    }
    const s3 = { path: 'bucket/b', awsSecret: 'https://minio.example.com' };
    const deny = ['minio.example.com'];
    await expect(open('S3', { s3 }, { policy: { deny } })).rejects.toThrow('never connects to');
  });

  test('security rule 8: patterns hold for the config of a Secret as well; the spec goes before it', async () => {
    const policy = { allow: ['*.example.com'] };
    const s3 = (awsSecret: string, endpoint?: string) =>
      open('S3', { s3: { path: 'bucket/b', awsSecret, ...(endpoint && { endpoint }) } }, { policy });
    await expect(s3('https://minio.example.com')).resolves.toBeDefined();
    await expect(s3('https://minio.other.com')).rejects.toThrow('is not in the list of allowed endpoints');
    await expect(s3('https://minio.other.com', 'https://minio.example.com')).resolves.toBeDefined();
    await expect(s3('https://minio.example.com', 'https://minio.other.com')).rejects.toThrow('is not in the list');
  });

  test('security rule 8: the operator may narrow endpoints to patterns', async () => {
    const policy = { allow: ['*.example.com'] };
    const s3 = (endpoint: string) => open('S3', { s3: { path: 'bucket/b', awsSecret: 'aws', endpoint } }, { policy });
    await expect(s3('https://minio.example.com')).resolves.toBeDefined();
    await expect(s3('https://minio.other.com')).rejects.toThrow('is not in the list of allowed endpoints');
  });
});

describe("the operator's own cloud credentials", () => {
  const withoutKeys = [
    ['S3', { s3: { path: 'bucket/b' } }],
    ['S3', { s3: { path: 'bucket/b', awsSecret: 'empty' } }],
    ['S3', { s3: { path: 'bucket/b', awsSecret: 'role' } }],
    ['GCS', { gcs: { path: 'bucket/b' } }],
    ['GCS', { gcs: { path: 'bucket/b', gcpSecret: 'empty' } }],
    ['ABS', { abs: { path: 'bucket/b', storageAccount: 'account' } }],
  ] as const;

  test.each(withoutKeys)('are not used for %s of %j', async (type, sources) => {
    const refused = await open(type, sources, { ambient: ['other'] }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'StorageError', code: 'CredentialsNotGranted' });
    expect(String(refused)).toContain('-ambient-credentials=tenant');
  });

  test.each(withoutKeys)('are used for %s of %j where an administrator says so', async (type, sources) => {
    await expect(open(type, sources, { ambient: ['tenant'] })).resolves.toBeDefined();
    await expect(open(type, sources, { ambient: 'all' })).resolves.toBeDefined();
  });

  test.each([
    ['S3', { s3: { path: 'bucket/b', endpoint: 'https://mine.example' } }],
    ['S3', { s3: { path: 'bucket/b', awsSecret: 'role', endpoint: 'http://mine.example' } }],
    ['S3', { s3: { path: 'bucket/b', caSecret: 'ca' } }],
    ['GCS', { gcs: { path: 'bucket/b', endpoint: 'https://mine.example' } }],
    ['GCS', { gcs: { path: 'bucket/b', caSecret: 'ca' } }],
    ['ABS', { abs: { path: 'bucket/b', storageAccount: 'account', endpoint: 'https://mine.example' } }],
    ['ABS', { abs: { path: 'bucket/b', storageAccount: 'account', caSecret: 'ca' } }],
  ] as const)('never go to a store that the object chose: %s of %j', async (type, sources) => {
    const refused = await open(type, sources, { ambient: 'all' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'StorageError', code: 'CredentialsNotGranted' });
    expect(String(refused)).toContain('The operator never sends its own credentials to such a backup store');
  });
});

describe('Azure without a key', () => {
  afterEach(() => vi.unstubAllEnvs());
  test.each([
    [undefined, 'https://account.blob.core.windows.net/'],
    ['https://login.microsoftonline.com/', 'https://account.blob.core.windows.net/'],
    ['https://login.chinacloudapi.cn/', 'https://account.blob.core.chinacloudapi.cn/'],
    ['https://login.elsewhere.example', 'https://account.blob.core.windows.net/'],
  ])('is in the cloud of the identity that %s gives', async (authority, server) => {
    vi.stubEnv('AZURE_AUTHORITY_HOST', authority);
    const abs = { path: 'bucket/b', storageAccount: 'account' };
    expect((await open('ABS', { abs }, { ambient: 'all' })).store.server).toBe(server);
  });
});

describe('with a prefix, a namespace keeps to its part of a bucket', () => {
  const at = (path: string, pathPrefix = 'backups/{namespace}/') =>
    open('S3', { s3: { path, awsSecret: 'aws' } }, { pathPrefix });

  test.each(['bucket/backups/tenant/a', 'bucket/backups/tenant/a/b'])('%s is its own', async (path) => {
    await expect(at(path)).resolves.toBeDefined();
    await expect(at(path, 'backups/{namespace}')).resolves.toBeDefined();
  });

  test.each([
    'bucket/a',
    'bucket/backups/other/a',
    'bucket/backups/tenant-2/a',
    'bucket/backups/tenant/../other/a',
    'bucket/backups/tenant',
    'bucket/backups/tenant/',
  ])('%s is refused', async (path) => {
    await expect(at(path)).rejects.toMatchObject({ name: 'StorageError', code: 'InvalidPath' });
    await expect(at(path, 'backups/{namespace}')).rejects.toMatchObject({ code: 'InvalidPath' });
  });

  test.each([
    { endpoint: 'https://minio.example.com/bucket/backups/other' },
    { awsSecret: 'https://minio.example.com/x' },
  ])('an endpoint with a path of its own is refused: %j', async (source) => {
    const s3 = { path: 'bucket/backups/tenant/a', awsSecret: 'aws', ...source };
    const refused = await open('S3', { s3 }, { pathPrefix: 'backups/{namespace}/' }).catch((error: unknown) => error);
    expect(isBlobError(refused, 'Configuration')).toBe(true);
  });

  test('a directory has a folder for each namespace anyway', async () => {
    const settings = { directory: '/backups', pathPrefix: 'backups/{namespace}/' };
    await expect(open('Directory', { directory: { path: 'a' } }, settings)).resolves.toBeDefined();
  });
});
