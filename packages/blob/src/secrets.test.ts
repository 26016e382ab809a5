// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  azureOptionsFromSecret,
  gcsCredentialsFromSecret,
  openStore,
  ossCredentialsFromSecret,
  type StoreOptions,
  s3CredentialsFromSecret,
} from './index.ts';

describe('the Secrets of CoreOS etcd-operator', () => {
  test('S3: two files, either of which may be missing', () => {
    expect(s3CredentialsFromSecret({ credentials: 'a', config: 'b', other: 'c' })).toEqual({
      kind: 'files',
      credentials: 'a',
      config: 'b',
    });
    expect(s3CredentialsFromSecret({})).toEqual({ kind: 'files' });
  });

  test('Azure: account, key and one of four clouds', () => {
    const data = { 'storage-account': 'acc', 'storage-key': 'a2V5' };
    expect(azureOptionsFromSecret(data)).toEqual({
      account: 'acc',
      credentials: { kind: 'key', accountKey: 'a2V5' },
      cloud: 'AzurePublicCloud',
    });
    expect(azureOptionsFromSecret({ ...data, cloud: 'AzureChinaCloud' }).cloud).toBe('AzureChinaCloud');
    expect(() => azureOptionsFromSecret({ ...data, cloud: 'constructor' })).toThrow(
      'the key cloud of the Secret for Azure must be one of',
    );
    expect(() => azureOptionsFromSecret({ 'storage-account': 'acc' })).toThrow('storage-account and storage-key');
  });

  test('Google: a token goes before a key file, and nothing means default credentials', () => {
    expect(gcsCredentialsFromSecret({ 'access-token': ' t\n', 'credentials.json': '{}' })).toEqual({
      kind: 'token',
      accessToken: 't',
    });
    expect(gcsCredentialsFromSecret({ 'credentials.json': '{}' })).toEqual({ kind: 'service-account', json: '{}' });
    expect(gcsCredentialsFromSecret({})).toEqual({ kind: 'chain' });
    expect(gcsCredentialsFromSecret(undefined)).toEqual({ kind: 'chain' });
  });

  test('OSS: both keys', () => {
    expect(ossCredentialsFromSecret({ accessKeyID: 'a', accessKeySecret: 'b' })).toEqual({
      accessKeyId: 'a',
      accessKeySecret: 'b',
    });
    expect(() => ossCredentialsFromSecret({ accessKeyID: 'a' })).toThrow('accessKeyID and accessKeySecret');
  });
});

describe('options that cannot work are refused before any request', () => {
  const oss = { accessKeyId: 'a', accessKeySecret: 'hunter2secret' };
  const refused: readonly [string, StoreOptions][] = [
    ['a bucket that leads elsewhere', { kind: 's3', bucket: 'evil.test/x' }],
    ['a bucket of dots', { kind: 's3', bucket: 'a..b' }],
    ['a region that leads elsewhere', { kind: 's3', bucket: 'bucket', region: 'x.evil.test/' }],
    ['a loopback endpoint', { kind: 's3', bucket: 'bucket', endpoint: 'http://127.0.0.1:9000' }],
    [
      'an OSS endpoint on a metadata service',
      { kind: 'oss', bucket: 'bucket', credentials: oss, endpoint: 'http://100.100.100.200' },
    ],
    ['an account that leads elsewhere', { kind: 'azure', account: 'evil.test/', container: 'backups' }],
    ['a container that is none', { kind: 'azure', account: 'account', container: 'A/b' }],
    [
      'an account key that is none',
      {
        kind: 'azure',
        account: 'account',
        container: 'backups',
        credentials: { kind: 'key', accountKey: 'hunter2secret!' },
      },
    ],
    [
      'an endpoint outside of what is allowed',
      { kind: 'azure', account: 'account', container: 'backups', policy: { allow: ['x'] } },
    ],
    ['a Google bucket that is none', { kind: 'gcs', bucket: '../b' }],
    ['a token over plain HTTP', { kind: 'gcs', bucket: 'bucket', endpoint: 'http://gcs.test' }],
    [
      'a token with a line break',
      { kind: 'gcs', bucket: 'bucket', credentials: { kind: 'token', accessToken: 'hunter2secret\r\nx: y' } },
    ],
    ['parts of a size that Google does not take', { kind: 'gcs', bucket: 'bucket', partBytes: 1_000 }],
    [
      'a key file that is no JSON',
      { kind: 'gcs', bucket: 'bucket', credentials: { kind: 'service-account', json: 'hunter2secret' } },
    ],
    [
      'credentials that run programs',
      {
        kind: 'gcs',
        bucket: 'bucket',
        credentials: {
          kind: 'service-account',
          json: '{"type":"external_account","credential_source":{"executable":{"command":"hunter2secret"}}}',
        },
      },
    ],
    ['a directory that is not absolute', { kind: 'directory', root: 'relative/path' }],
  ];

  test.each(refused)('%s', async (_title, options) => {
    const error = await openStore(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'BlobError', code: expect.stringMatching(/^(Configuration|InvalidPath)$/) });
    expect(String(error)).not.toContain('hunter2secret');
  });
});
