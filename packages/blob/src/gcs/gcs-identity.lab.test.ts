// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { expectClean } from '../testing/expect-clean.ts';
import { type GcsServer, startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { FaultProxy } from '../testing/fault-proxy.ts';
import { startIdentityServer } from '../testing/identity-server.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import type { GcsCredentials } from './gcs-options.ts';
import { openGcs } from './open-gcs.ts';

let server: GcsServer;
let proxy: FaultProxy;

beforeAll(async () => {
  server = await startFakeGcsServer();
  proxy = await FaultProxy.start(server.port);
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => {
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  proxy.expect(() => undefined);
});
afterEach(() => vi.unstubAllEnvs());

async function attempt(credentials: GcsCredentials): Promise<unknown> {
  const endpoint = `http://127.0.0.1:${proxy.port}`;
  const options = { bucket: server.bucket, endpoint, credentials, policy: { allowLocal: true } };
  const store = await openGcs(options, { retry: quickRetries });
  try {
    return (await store.put('k', chunked(bytesOf(10)))).bytes;
  } catch (error) {
    return error;
  } finally {
    store.close();
  }
}

test('an access token goes out as it is', async () => {
  expect(await attempt({ kind: 'token', accessToken: 'ya29.mine' })).toBe(10);
  expect(proxy.seen[0]?.headers.authorization).toBe('Bearer ya29.mine');
});

test('the identity of the pod or machine', async () => {
  const identity = await startIdentityServer(({ path }) => {
    if (path.includes('/token')) return { access_token: 'ya29.of-the-machine', expires_in: 3600, token_type: 'Bearer' };
    return path.includes('universe') ? undefined : 'ok';
  });
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${identity.port}`);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  vi.stubEnv('HOME', '/nonexistent');
  expect(await attempt({ kind: 'chain' })).toBe(10);
  expect(proxy.seen[0]?.headers.authorization).toBe('Bearer ya29.of-the-machine');
  await identity.stop();
});

test('a service account whose key cannot be used, or whose token cannot be had, is an error without the key', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const real = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  // This test sends nothing out: the proxy of the environment refuses.
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  vi.stubEnv('https_proxy', 'http://127.0.0.1:1');
  for (const key of [real, 'MARKER-not-a-key']) {
    const json = JSON.stringify({ type: 'service_account', client_email: 'a@b.test', private_key: key });
    const error = await attempt({ kind: 'service-account', json });
    expect(error).toMatchObject({ name: 'BlobError' });
    expectClean(error, [key]);
    expect(proxy.seen).toEqual([]);
  }
});
