// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, bytesOf, chunked, collect } from '../testing/bodies.ts';
import { expectClean } from '../testing/expect-clean.ts';
import { killMidPut } from '../testing/kill-mid-put.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { plainRequest } from '../testing/presign-suite.ts';
import { testdata } from '../testing/testdata.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';
import type { S3Options } from './s3-options.ts';

const partBytes = 5 * mebibyte;

describe('a store that is not what it should be', () => {
  let server: S3Server;

  beforeAll(async () => {
    server = await startVersitygw();
  });
  afterAll(() => server?.stop());

  function options(changes: Partial<S3Options> = {}): S3Options {
    const { bucket, endpoint, region, accessKeyId, secretAccessKey } = server;
    return {
      bucket,
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
      policy: { allowLocal: true },
      partBytes,
      ...changes,
    };
  }

  async function failure(changes: Partial<S3Options>, size = 10): Promise<unknown> {
    const store = await openS3(options(changes), { retry: quickRetries });
    try {
      return await store.put('k', chunked(bytesOf(size))).catch((error: unknown) => error);
    } finally {
      store.close();
    }
  }

  test.each([10, partBytes + 1])('wrong keys are a refusal, for %i bytes', async (size) => {
    const secretAccessKey = 'a-wrong-one-MARKER-11';
    const error = await failure(
      { credentials: { kind: 'keys', accessKeyId: 'test-access-key', secretAccessKey } },
      size,
    );
    expect(error).toMatchObject({ code: 'Denied', retryable: false });
    expectClean(error, [secretAccessKey]);
  });

  test('unknown keys are a refusal', async () => {
    const credentials = { kind: 'keys', accessKeyId: 'nobody', secretAccessKey: 'MARKER-none' } as const;
    expect(await failure({ credentials })).toMatchObject({ code: 'Denied' });
  });

  test('a wrong region is named', async () => {
    expect(await failure({ region: 'eu-central-1' })).toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('us-east-1'),
    });
  });

  test('an endpoint without a server may pass', async () => {
    expect(await failure({ endpoint: 'http://127.0.0.1:1' })).toMatchObject({ code: 'Unavailable', retryable: true });
  });

  test('an endpoint whose name leads to loopback is refused', async () => {
    const policy = { resolve: async () => ['127.0.0.1'] };
    expect(await failure({ endpoint: `http://store.test:${server.port}`, policy })).toMatchObject({
      code: 'Configuration',
      retryable: false,
      message: expect.stringContaining('store.test is refused: it is, or resolves to, a loopback'),
    });
  });

  test('nothing is presigned that leads to where the store may not connect to', async () => {
    const policy = { resolve: async () => ['127.0.0.1'] };
    const store = await openS3(options({ endpoint: `http://store.test:${server.port}`, policy }));
    const error = await store.presign('k', { expiresIn: 60 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'Configuration', retryable: false });
    expectClean(error, [server.secretAccessKey]);
    store.close();
  });

  test('a process that is killed in the middle leaves an upload; the next put to the key ends it', async () => {
    await killMidPut({ kind: 's3', ...options() }, 'killed', partBytes);
    expect(await server.unfinished()).toEqual(['killed']);
    const store = await openS3(options());
    expect(await all(store.list('killed'))).toEqual([]);
    await store.put('killed', chunked(bytesOf(partBytes + 1)));
    expect(await server.unfinished()).toEqual([]);
    store.close();
  });

  test('what was left under a key that is never used again is swept, by age and prefix', async () => {
    await killMidPut({ kind: 's3', ...options() }, 'sweep/a_v1', partBytes);
    const store = await openS3(options());
    expect(await store.sweep('sweep/', Date.now() - 3_600_000)).toBe(0);
    expect(await store.sweep('other/', Date.now() + 60_000)).toBe(0);
    await store.clear('sweep/a');
    expect(await server.unfinished()).toEqual(['sweep/a_v1']);
    expect(await store.sweep('sweep/a', Date.now() + 60_000, { isOwn: (key) => key !== 'sweep/a_v1' })).toBe(0);
    expect(await store.sweep('sweep/a', Date.now() + 60_000)).toBe(1);
    expect(await server.unfinished()).toEqual([]);
    store.close();
  });
});

describe('TLS', () => {
  let server: S3Server;
  let ca: string;

  beforeAll(async () => {
    server = await startVersitygw({ tls: true });
    ca = await readFile(testdata('ca.pem'), 'utf8');
  });
  afterAll(() => server?.stop());

  async function attempt(changes: Partial<S3Options>): Promise<unknown> {
    const { bucket, endpoint, region, accessKeyId, secretAccessKey } = server;
    const store = await openS3(
      {
        bucket,
        endpoint,
        region,
        forcePathStyle: true,
        credentials: { kind: 'keys', accessKeyId, secretAccessKey },
        policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] },
        partBytes,
        ...changes,
      },
      { retry: quickRetries },
    );
    try {
      await store.put('k', chunked(bytesOf(partBytes + 1)));
      return (await collect(store.get('k'))).byteLength;
    } catch (error) {
      return error;
    } finally {
      store.close();
    }
  }

  test('with a private CA', async () => {
    expect(await attempt({ caCertificates: ca })).toBe(partBytes + 1);
  });

  test('with the bucket in the host name', async () => {
    const endpoint = `https://${server.virtualDomain}:${server.port}`;
    expect(await attempt({ caCertificates: ca, endpoint, forcePathStyle: false })).toBe(partBytes + 1);
  });

  test.each([
    ['in the path', () => server.endpoint, true],
    ['in the host name', () => `https://${server.virtualDomain}:${server.port}`, false],
  ])('a presigned read brings the private CA along, with the bucket %s', async (_title, endpoint, forcePathStyle) => {
    const { bucket, region, accessKeyId, secretAccessKey } = server;
    const store = await openS3({
      bucket,
      endpoint: endpoint(),
      region,
      forcePathStyle,
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
      caCertificates: ca,
      policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] },
    });
    await store.put('lent', chunked(Buffer.from('over TLS')));
    const presigned = await store.presign('lent', { expiresIn: 600 });
    store.close();
    expect(presigned).toMatchObject({ ca, headers: {} });
    if (!presigned) return;
    expect(await plainRequest(presigned)).toEqual({ status: 200, body: Buffer.from('over TLS') });
    const { ca: _, ...untrusting } = presigned;
    await expect(plainRequest(untrusting)).rejects.toThrow(/certificate/);
  });

  test('a certificate of an unknown CA is refused', async () => {
    expect(await attempt({})).toMatchObject({ code: 'Configuration', retryable: false });
  });

  test('a certificate for another name is refused', async () => {
    const endpoint = `https://other.test:${server.port}`;
    expect(await attempt({ caCertificates: ca, endpoint })).toMatchObject({ code: 'Configuration', retryable: false });
  });
});
