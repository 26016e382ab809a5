// SPDX-License-Identifier: Apache-2.0
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { type Answered, FaultProxy } from '../testing/fault-proxy.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openGcs } from './open-gcs.ts';

const kmsKeyName = 'projects/p/locations/eu/keyRings/r/cryptoKeys/k';

/** A store behind a proxy. @param told the key in the answers; the test server returns none */
async function scene(told?: string) {
  const server = await startFakeGcsServer();
  onTestFinished(() => server.stop());
  const proxy = await FaultProxy.start(Number(new URL(server.endpoint).port));
  onTestFinished(() => proxy.stop());
  const own = `http://127.0.0.1:${proxy.port}`;
  const store = await openGcs({
    bucket: server.bucket,
    credentials: { kind: 'token', accessToken: server.accessToken },
    endpoint: own,
    policy: { allowLocal: true },
    partBytes: mebibyte,
    kmsKeyName,
  });
  onTestFinished(() => store.close());
  // The test server's own address is in the URL of a session, but the proxy was asked.
  const alter = ({ headers: { location, ...headers }, ...answer }: Answered) => ({
    ...answer,
    ...(told && { body: withKey(answer.body, told) }),
    headers: { ...headers, ...(location && { location: location.replace(/^https?:\/\/[^/]+/, own) }) },
  });
  proxy.expect(({ method }) => (method === 'POST' || method === 'PUT' ? { kind: 'alter', alter } : undefined));
  return { store, proxy, own };
}

function withKey(body: Buffer, told: string): Buffer {
  const text = body.toString();
  return text.startsWith('{') ? Buffer.from(JSON.stringify({ ...JSON.parse(text), kmsKeyName: told })) : body;
}

const sizes = [10, 3 * mebibyte];

test('the key of Cloud KMS goes with every upload that is begun, in one piece or in several', async () => {
  const { store, proxy, own } = await scene();
  for (const size of sizes) await store.put(`k-${size}`, chunked(bytesOf(size)));
  const begun = proxy.seen.filter(({ method }) => method === 'POST').map(({ url }) => new URL(url, own).searchParams);
  expect(begun.map((query) => [query.get('uploadType'), query.get('kmsKeyName')])).toEqual([
    ['multipart', kmsKeyName],
    ['resumable', kmsKeyName],
  ]);
});

test.each(sizes)('a version of that key is that key, for %i bytes', async (size) => {
  const { store } = await scene(`${kmsKeyName}/cryptoKeyVersions/1`);
  expect(await store.put('k', chunked(bytesOf(size)))).toMatchObject({ bytes: size });
});

test.each(sizes)('another key that the store tells for %i bytes is an error', async (size) => {
  const { store } = await scene(`${kmsKeyName}2/cryptoKeyVersions/1`);
  await expect(store.put('k', chunked(bytesOf(size)))).rejects.toMatchObject({
    code: 'Configuration',
    message: expect.stringContaining(`instead of ${kmsKeyName}`),
  });
});
