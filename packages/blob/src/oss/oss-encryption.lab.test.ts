// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OssEncryption } from '../testing/behaviours/oss-encryption.ts';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { type Answered, FaultProxy } from '../testing/fault-proxy.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { type OssOptions, openOss } from './open-oss.ts';

const partBytes = 5 * mebibyte;
const sizes = [10, 2 * partBytes + 1];
const header = 'x-oss-server-side-encryption';

let server: S3Server;
let proxy: FaultProxy;
let behaviour: OssEncryption;

// versitygw does not encrypt: the proxy in front of it behaves as OSS documents its header.
beforeAll(async () => {
  server = await startVersitygw();
  behaviour = new OssEncryption();
  proxy = await FaultProxy.start(server.port, { behaviour: behaviour.behave });
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => proxy.expect(() => undefined));

function open(encryption?: OssOptions['encryption']) {
  const { bucket, region, virtualDomain, accessKeyId, secretAccessKey } = server;
  const endpoint = `http://${virtualDomain}:${proxy.port}`;
  const credentials = { accessKeyId, accessKeySecret: secretAccessKey };
  const policy = { allowLocal: true, resolve: async () => ['127.0.0.1'] };
  const options = { bucket, region, endpoint, credentials, policy, partBytes };
  return openOss({ ...options, ...(encryption && { encryption }) }, { retry: quickRetries });
}

async function store(key: string, size: number, encryption?: OssOptions['encryption']): Promise<number> {
  const opened = await open(encryption);
  try {
    return (await opened.put(key, chunked(bytesOf(size)))).bytes;
  } finally {
    opened.close();
  }
}

describe('server-side encryption of OSS', () => {
  test.each(sizes)('is asked for where OSS takes it, and confirmed, for %i bytes', async (size) => {
    const shown: (string | undefined)[] = [];
    const alter = (answer: Answered) => {
      shown.push(answer.headers[header]);
      return answer;
    };
    proxy.expect(({ method }) => (method === 'HEAD' ? { kind: 'alter', alter } : undefined));
    expect(await store('encrypted', size, { algorithm: 'KMS', kmsKeyId: 'key-of-ours' })).toBe(size);
    expect(shown).toEqual(['KMS']);
    expect(behaviour.kept.get('/encrypted')).toEqual({ [header]: 'KMS', [`${header}-key-id`]: 'key-of-ours' });
    const asked = proxy.seen.filter(({ headers }) => headers[header] !== undefined);
    expect(asked.map(({ method, url }) => [method, url.replace(/=.*/, '')])).toEqual([
      size === 10 ? ['PUT', '/encrypted?x-id'] : ['POST', '/encrypted?uploads'],
    ]);
    // A proxy cannot remove it: the signature covers it.
    expect(String(asked[0]?.headers.authorization)).toContain(`${header};`);
  });

  test.each(['AES256', 'SM4'] as const)('with keys of OSS, %s, names no key', async (algorithm) => {
    await store('own-keys', 10, { algorithm });
    expect(behaviour.kept.get('/own-keys')).toEqual({ [header]: algorithm });
  });

  test('with an algorithm that OSS does not know is refused in its words', async () => {
    const encryption = { algorithm: 'DES' } as unknown as { readonly algorithm: 'AES256' };
    await expect(store('unknown', 10, encryption)).rejects.toMatchObject({
      code: 'Configuration',
      retryable: false,
      message: expect.stringContaining('InvalidEncryptionAlgorithmError'),
    });
  });

  test.each(sizes)('that the answer does not confirm for %i bytes is an error, and no upload stays', async (size) => {
    const alter = ({ headers: { [header]: _, ...headers }, ...answer }: Answered) => ({ ...answer, headers });
    proxy.expect(({ headers }) => (headers[header] ? { kind: 'alter', alter } : undefined));
    await expect(store('unconfirmed', size, { algorithm: 'AES256' })).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining(
        'did not confirm that it encrypts with AES256: its answer does not mention encryption',
      ),
    });
    expect(await server.unfinished()).toEqual([]);
  });

  test('with another key than was asked for is an error', async () => {
    const alter = ({ headers, ...answer }: Answered) => ({
      ...answer,
      headers: { ...headers, [`${header}-key-id`]: 'key-of-another' },
    });
    proxy.expect(({ headers }) => (headers[header] ? { kind: 'alter', alter } : undefined));
    await expect(store('k', 10, { algorithm: 'KMS', kmsKeyId: 'ours' })).rejects.toThrow(
      'with the KMS key key-of-another instead of ours',
    );
  });

  test('is not asked for unless it is set', async () => {
    await store('plain', 10);
    expect(behaviour.kept.has('/plain')).toBe(false);
    expect(proxy.seen.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name === header)).toEqual([]);
  });
});
