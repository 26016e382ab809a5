// SPDX-License-Identifier: Apache-2.0
import { expect, onTestFinished, test } from 'vitest';
import { startAzurite } from '../testing/azurite.ts';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { type Answered, FaultProxy } from '../testing/fault-proxy.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openAzure } from './open-azure.ts';

async function scene() {
  const server = await startAzurite();
  onTestFinished(() => server.stop());
  const proxy = await FaultProxy.start(server.port);
  onTestFinished(() => proxy.stop());
  const { account, container, accountKey } = server;
  const options = {
    account,
    container,
    credentials: { kind: 'key', accountKey },
    endpoint: `http://127.0.0.1:${proxy.port}/${account}`,
    policy: { allowLocal: true },
    partBytes: mebibyte,
    encryptionScope: 'backups-scope',
  } as const;
  const store = await openAzure(options);
  onTestFinished(() => store.close());
  return { store, proxy };
}

const sizes = [10, 3 * mebibyte];

test('the encryption scope goes with every request that stores something, and with no other', async () => {
  const { store, proxy } = await scene();
  for (const size of sizes) await store.put(`k-${size}`, chunked(bytesOf(size)));
  await store.stat('k-10');
  const scopes = proxy.seen.map(({ method, headers }) => [method === 'PUT', headers['x-ms-encryption-scope']]);
  expect(scopes.filter(([isPut]) => isPut)).toEqual(Array.from({ length: 5 }, () => [true, 'backups-scope']));
  expect(scopes.filter(([isPut, scope]) => !isPut && scope !== undefined)).toEqual([]);
});

test.each(sizes)('another scope that the store tells for %i bytes is an error', async (size) => {
  const { store, proxy } = await scene();
  const alter = (answer: Answered) => ({
    ...answer,
    headers: { ...answer.headers, 'x-ms-encryption-scope': 'other-scope' },
  });
  proxy.expect(({ method }) => (method === 'PUT' ? { kind: 'alter', alter } : undefined));
  await expect(store.put('k', chunked(bytesOf(size)))).rejects.toMatchObject({
    code: 'Configuration',
    message: expect.stringContaining('with the encryption scope other-scope instead of backups-scope'),
  });
});
