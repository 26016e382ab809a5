// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { type Answered, FaultProxy, type ProxiedRequest } from '../testing/fault-proxy.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';
import type { S3Options } from './s3-options.ts';

const partBytes = 5 * mebibyte;
const sizes = [10, 2 * partBytes + 1];

let server: S3Server;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startVersitygw();
  proxy = await FaultProxy.start(server.port);
  await server.createLockable('locked');
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => proxy.expect(() => undefined));

async function open(changes: Partial<S3Options>) {
  const { bucket, region, accessKeyId, secretAccessKey } = server;
  const endpoint = `http://127.0.0.1:${proxy.port}`;
  const credentials = { kind: 'keys', accessKeyId, secretAccessKey } as const;
  const reach = { endpoint, region, forcePathStyle: true, credentials, policy: { allowLocal: true } };
  return openS3({ bucket, ...reach, partBytes, ...changes }, { retry: quickRetries });
}

/** True if a request creates an object, or a multipart upload. */
function makesObject({ method, url }: ProxiedRequest): boolean {
  const { searchParams } = new URL(url, server.endpoint);
  return (method === 'PUT' && !searchParams.has('uploadId')) || (method === 'POST' && searchParams.has('uploads'));
}

const bytesThrough = async (store: Awaited<ReturnType<typeof open>>, key: string, size: number) =>
  (await store.put(key, chunked(bytesOf(size)))).bytes;

describe('server-side encryption', () => {
  /** The test server does not encrypt; S3's answer headers are added. */
  const confirmed = (algorithm: string) => (answer: Answered) => ({
    ...answer,
    headers: { ...answer.headers, 'x-amz-server-side-encryption': algorithm },
  });

  test.each(sizes)('is asked for with every object of %i bytes, whether or not it has parts', async (size) => {
    const encryption = { algorithm: 'aws:kms', kmsKeyId: 'alias/backups', bucketKey: true } as const;
    proxy.expect((request) =>
      makesObject(request) ? { kind: 'alter', alter: confirmed(encryption.algorithm) } : undefined,
    );
    const store = await open({ encryption });
    expect(await bytesThrough(store, 'encrypted', size)).toBe(size);
    store.close();
    const headers = proxy.seen.filter(makesObject).map((request) => request.headers);
    expect(headers).toEqual([
      expect.objectContaining({
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'alias/backups',
        'x-amz-server-side-encryption-bucket-key-enabled': 'true',
      }),
    ]);
  });

  test.each(sizes)('with another KMS key than was asked for is an error for %i bytes', async (size) => {
    const encryption = { algorithm: 'aws:kms', kmsKeyId: 'arn:aws:kms:eu:1:key/ours' } as const;
    const header = { 'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu:2:key/other' };
    const alter = (answer: Answered) => {
      const { headers, ...rest } = confirmed(encryption.algorithm)(answer);
      return { ...rest, headers: { ...headers, ...header } };
    };
    proxy.expect((request) => (makesObject(request) ? { kind: 'alter', alter } : undefined));
    const store = await open({ encryption });
    await expect(bytesThrough(store, 'other-key', size)).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('with the KMS key arn:aws:kms:eu:2:key/other instead of'),
    });
    expect(await server.unfinished()).toEqual([]);
    store.close();
  });

  test('with keys of S3 names no key', async () => {
    proxy.expect((request) => (makesObject(request) ? { kind: 'alter', alter: confirmed('AES256') } : undefined));
    const store = await open({ encryption: { algorithm: 'AES256' } });
    await bytesThrough(store, 'encrypted', 10);
    store.close();
    const names = Object.keys(proxy.seen.find(makesObject)?.headers ?? {});
    expect(names.filter((name) => name.includes('encryption'))).toEqual(['x-amz-server-side-encryption']);
  });

  test.each(sizes)('that the store does not confirm for %i bytes is an error, and nothing stays', async (size) => {
    const store = await open({ encryption: { algorithm: 'AES256' } });
    const storing = store.put('unconfirmed', chunked(bytesOf(size)));
    await expect(storing).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('the backup store did not confirm that it encrypts unconfirmed with AES256'),
    });
    expect(await server.unfinished()).toEqual([]);
    store.close();
  });

  test('is not asked for unless it is set', async () => {
    const store = await open({});
    await bytesThrough(store, 'plain', 10);
    store.close();
    const names = proxy.seen.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => name.includes('encryption') || name.includes('object-lock'))).toEqual([]);
  });
});

describe('object lock', () => {
  test.each(sizes)('keeps an object of %i bytes from being deleted or replaced', async (size) => {
    const store = await open({ bucket: 'locked', objectLock: { mode: 'Compliance', days: 30 } });
    const key = `kept-${size}`;
    await bytesThrough(store, key, size);
    const lock = await server.lockOf('locked', key);
    expect(lock?.mode).toBe('COMPLIANCE');
    const days = ((lock?.until ?? 0) - systemClock.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    await expect(store.delete(key)).rejects.toMatchObject({ code: 'Locked', retryable: false });
    await expect(bytesThrough(store, key, 5)).rejects.toMatchObject({ code: 'Locked' });
    expect((await store.stat(key)).bytes).toBe(size);
    store.close();
  });

  test.each(sizes)('that the store does not show for %i bytes is an error', async (size) => {
    const alter = ({ headers, ...answer }: Answered) => ({
      ...answer,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.includes('object-lock'))),
    });
    proxy.expect(({ method }) => (method === 'HEAD' ? { kind: 'alter', alter } : undefined));
    const store = await open({ bucket: 'locked', objectLock: { mode: 'Governance', days: 1 } });
    await expect(bytesThrough(store, `unconfirmed-${size}`, size)).rejects.toMatchObject({
      code: 'Configuration',
      outcomeUnknown: false,
      message: expect.stringContaining('the credentials lack the right s3:GetObjectRetention'),
    });
    store.close();
  });

  test('is left out for what is only there for a moment', async () => {
    const store = await open({ bucket: 'locked', objectLock: { mode: 'Compliance', days: 30 } });
    await store.put('probe', chunked(bytesOf(1)), { isUnlocked: true });
    expect(await server.lockOf('locked', 'probe')).toBeUndefined();
    await store.delete('probe');
    await expect(store.stat('probe')).rejects.toMatchObject({ code: 'NotFound' });
    store.close();
  });

  test('in a bucket without it is refused by the store, in its words', async () => {
    const store = await open({ objectLock: { mode: 'Governance', days: 1 } });
    await expect(bytesThrough(store, 'k', 10)).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('Bucket is missing ObjectLockConfiguration'),
    });
    store.close();
  });
});
