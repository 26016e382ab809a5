// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { openS3 } from './open-s3.ts';
import type { S3Options } from './s3-options.ts';

const keys = { kind: 'keys', accessKeyId: 'AKIATEST', secretAccessKey: 'MARKER-secret' } as const;

async function lentUrl(options: Partial<S3Options>): Promise<URL> {
  const policy = { resolve: async () => ['10.0.0.1'] };
  const store = await openS3({ bucket: 'backups', credentials: keys, policy, ...options });
  const presigned = await store.presign('prod/a b', { expiresIn: 900 });
  store.close();
  return new URL(presigned?.url ?? '');
}

test.each<[string, Partial<S3Options>, string]>([
  ['of AWS', { region: 'eu-west-1' }, 'https://backups.s3.eu-west-1.amazonaws.com/prod/a%20b'],
  ['in China', { region: 'cn-north-1' }, 'https://backups.s3.cn-north-1.amazonaws.com.cn/prod/a%20b'],
  ['with dots in its name', { bucket: 'a.b.c' }, 'https://s3.us-east-1.amazonaws.com/a.b.c/prod/a%20b'],
  ['below a path', { endpoint: 'https://gw.test/s3/', forcePathStyle: true }, 'https://gw.test/s3/backups/prod/a%20b'],
  ['at the usual port', { endpoint: 'https://gw.test:443' }, 'https://backups.gw.test/prod/a%20b'],
  ['at another port', { endpoint: 'http://gw.test:9000' }, 'http://backups.gw.test:9000/prod/a%20b'],
])('a bucket %s is read where the SDK would read it', async (_title, options, expected) => {
  const url = await lentUrl(options);
  expect(`${url.origin}${url.pathname}`).toBe(expected);
  expect(url.searchParams.get('X-Amz-Credential')).toMatch(
    new RegExp(`^AKIATEST/\\d{8}/${options.region ?? 'us-east-1'}/s3/aws4_request$`),
  );
  expect(url.searchParams.get('X-Amz-Expires')).toBe('900');
  expect(url.href).not.toContain('MARKER');
});

test('keys of a session bring their token', async () => {
  const url = await lentUrl({ credentials: { ...keys, sessionToken: 'token-of-the-session' } });
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('token-of-the-session');
});

test('a bucket of a single zone lends nothing', async () => {
  const store = await openS3({ bucket: 'backups--use1-az4--x-s3', credentials: keys });
  expect(await store.presign('k', { expiresIn: 60 })).toBeUndefined();
  store.close();
});
