// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openStore } from './open-store.ts';

const ofTheOperator = 'ya29.MARKER-of-the-operator';
const ofTheNamespace = 'ya29.MARKER-of-the-namespace';

/** A server on loopback that answers every request with the same document, and records the requests. */
class Listener {
  readonly heard: { readonly url: string; readonly authorization: string }[] = [];
  readonly #server: Server;

  constructor(answer: object) {
    this.#server = createServer((request: IncomingMessage, response) => {
      this.heard.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '' });
      response.writeHead(200, { 'content-type': 'application/json', 'metadata-flavor': 'Google' });
      response.end(JSON.stringify(answer));
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The metadata server with the operator's own identity, and the server that an object chose. */
const metadata = new Listener({ access_token: ofTheOperator, expires_in: 3600, token_type: 'Bearer' });
const chosen = new Listener({ kind: 'storage#object', name: 'k', size: '1', generation: '1' });

beforeAll(async () => {
  await metadata.listen();
  await chosen.listen();
});
afterAll(() => {
  metadata.close();
  chosen.close();
});
beforeEach(() => {
  metadata.heard.length = 0;
  chosen.heard.length = 0;
  vi.stubEnv('GCE_METADATA_HOST', metadata.host);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  vi.stubEnv('HOME', '/nonexistent');
  // The proxy refuses connections, so that the test sends nothing beyond this machine.
  for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:1');
});
afterEach(() => vi.unstubAllEnvs());

const retry = { attempts: 2, firstDelayMs: 1, maxDelayMs: 5, requestTimeoutMs: 2_000, slowestBytesPerSecond: 1 };

async function stat(secret: Readonly<Record<string, string>> | undefined): Promise<unknown> {
  const sources = {
    gcs: { path: 'bucket/k', endpoint: `http://${chosen.host}`, ...(secret && { gcpSecret: 'google' }) },
  };
  const request = { type: 'GCS', sources, namespace: 'tenant', readSecret: async () => secret };
  try {
    // The namespace may use the operator's identity here, and that must not make a difference.
    const { store } = await openStore(request, { ambient: 'all', policy: { allowLocal: true }, retry });
    try {
      return await store.stat('k', { signal: AbortSignal.timeout(20_000) });
    } finally {
      store.close();
    }
  } catch (error) {
    return error;
  }
}

test('the token of the namespace goes to the server that its object chose, and no other', async () => {
  await stat({ 'access-token': ofTheNamespace });
  expect(chosen.heard.length).toBeGreaterThan(0);
  expect(new Set(chosen.heard.map(({ authorization }) => authorization))).toEqual(
    new Set([`Bearer ${ofTheNamespace}`]),
  );
  expect(metadata.heard).toEqual([]);
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = (key: string) =>
  JSON.stringify({ type: 'service_account', client_email: 'a@b.test', private_key: key });

test.each([
  ['no Secret', undefined],
  ['an empty Secret', {}],
  ['an empty token', { 'access-token': ' ' }],
  [
    'a key whose token cannot be had',
    { 'credentials.json': account(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()) },
  ],
  ['a key that is none', { 'credentials.json': account('MARKER') }],
  [
    'a key that names the place of a token',
    { 'credentials.json': JSON.stringify({ type: 'external_account', token_url: 'http://127.0.0.1:1' }) },
  ],
])("with %s the operator's token is not asked for, and goes nowhere", async (_what, secret) => {
  expect(await stat(secret)).toBeInstanceOf(Error);
  expect(chosen.heard).toEqual([]);
  expect(metadata.heard).toEqual([]);
});
