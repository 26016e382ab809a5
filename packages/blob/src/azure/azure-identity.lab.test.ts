// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AzureServer, startAzurite } from '../testing/azurite.ts';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { expectClean } from '../testing/expect-clean.ts';
import { type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { plainRequest } from '../testing/presign-suite.ts';
import { testdata } from '../testing/testdata.ts';
import type { AzureCredentials } from './azure-options.ts';
import { openAzure } from './open-azure.ts';

let server: AzureServer;
let caCertificates: string;

beforeAll(async () => {
  server = await startAzurite({ tls: true });
  caCertificates = await readFile(testdata('ca.pem'), 'utf8');
});
afterAll(() => server?.stop());
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AZURE_')) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

/** A token in Microsoft's format; azurite checks its claims, not its signature. */
function token(claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  const all = {
    aud: 'https://storage.azure.com',
    iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    nbf: now - 60,
    iat: now - 60,
    exp: now + 3600,
    ...claims,
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(all)}.MARKER-signature`;
}

async function attempt(credentials: AzureCredentials): Promise<unknown> {
  const { account, container, endpoint } = server;
  const options = { account, container, endpoint, credentials, caCertificates, policy: { allowLocal: true } };
  try {
    const store = await openAzure(options, { retry: { ...quickRetries, requestTimeoutMs: 20_000 } });
    const { bytes } = await store.put('k', chunked(bytesOf(10)));
    store.close();
    return bytes;
  } catch (error) {
    return error;
  }
}

test('the identity of the machine', async () => {
  const identity = await startIdentityServer(({ path }) => {
    if (!path.includes('/metadata/identity/oauth2/token')) return undefined;
    const expires_on = String(Math.floor(Date.now() / 1000) + 3600);
    return { access_token: token({}), expires_on, resource: 'https://storage.azure.com/', token_type: 'Bearer' };
  });
  vi.stubEnv('AZURE_POD_IDENTITY_AUTHORITY_HOST', identity.url);
  vi.stubEnv('AZURE_TOKEN_CREDENTIALS', 'ManagedIdentityCredential');
  expect(await attempt({ kind: 'chain' })).toBe(10);
  expect(identity.asked.at(-1)?.headers['metadata']).toBe('true');
  await identity.stop();
});

describe('the token of a service account, which a webhook has put into the pod', () => {
  const tenant = 'ab1f708d-50f6-404c-a006-d71b2ac7a606';
  let identity: IdentityServer;
  let accepted: string;
  let folder: string;
  let tokenFile: string;
  const usual = getCACertificates('default');

  beforeEach(async () => {
    accepted = 'projected-token-MARKER-1';
    folder = await mkdtemp(join(tmpdir(), 'azure-token-'));
    tokenFile = join(folder, 'azure-identity-token');
    await writeFile(tokenFile, accepted);
    identity = await startIdentityServer(
      ({ path, body }) => {
        if (path.includes('/.well-known/openid-configuration')) return openIdOf(identity.url, tenant);
        const given = new URLSearchParams(body).get('client_assertion');
        if (!path.includes('/oauth2/v2.0/token') || given !== accepted) return undefined;
        return { access_token: token({}), expires_in: 3600, token_type: 'Bearer' };
      },
      { tls: true },
    );
    // The authority has a certificate of the tests.
    setDefaultCACertificates([...usual, caCertificates]);
    vi.stubEnv('AZURE_AUTHORITY_HOST', identity.url);
    vi.stubEnv('AZURE_TENANT_ID', tenant);
    vi.stubEnv('AZURE_CLIENT_ID', 'client-of-the-operator');
    vi.stubEnv('AZURE_FEDERATED_TOKEN_FILE', tokenFile);
  });
  afterEach(async () => {
    setDefaultCACertificates(usual);
    await identity.stop();
    await rm(folder, { recursive: true });
  });

  test.each(['chain', 'workload-identity'] as const)('is exchanged for one of Azure: %s', async (kind) => {
    expect(await attempt({ kind })).toBe(10);
    const exchange = identity.asked.find(({ path }) => path.includes('/oauth2/v2.0/token'));
    expect(exchange?.path).toContain(`/${tenant}/`);
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toMatchObject({
      client_id: 'client-of-the-operator',
      client_assertion: accepted,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      scope: expect.stringContaining('https://storage.azure.com/.default'),
    });
  });

  test('that is not accepted is an error without the token in it', async () => {
    await writeFile(tokenFile, 'expired-token-MARKER-2');
    const error = await attempt({ kind: 'workload-identity' });
    expect(error).toMatchObject({ name: 'BlobError' });
    expectClean(error, ['expired-token-MARKER-2']);
  });
});

function openIdOf(authority: string, tenant: string): object {
  const base = `${authority}/${tenant}`;
  return {
    issuer: `${base}/v2.0`,
    token_endpoint: `${base}/oauth2/v2.0/token`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
  };
}

test('a workload identity that is not set up is a matter of configuration', async () => {
  const error = await attempt({ kind: 'workload-identity' });
  expect(error).toMatchObject({ code: 'Configuration', retryable: false });
  expectClean(error, [server.accountKey]);
});

test('what is presigned with an account key over TLS brings the private CA along, and is for TLS only', async () => {
  const { account, container, endpoint, accountKey } = server;
  const credentials = { kind: 'key', accountKey } as const;
  const policy = { allowLocal: true };
  const store = await openAzure({ account, container, endpoint, credentials, caCertificates, policy });
  await store.put('lent', chunked(Buffer.from('over TLS')));
  const presigned = await store.presign('lent', { expiresIn: 600 });
  store.close();
  expect(presigned).toMatchObject({ ca: caCertificates, url: expect.stringContaining('spr=https&') });
  const answer = presigned && (await plainRequest(presigned));
  expect(answer).toEqual({ status: 200, body: Buffer.from('over TLS') });
});

test('with an identity instead of a key, presigned reads are not supported', async () => {
  const { account, container, endpoint } = server;
  const store = await openAzure({ account, container, endpoint, policy: { allowLocal: true } });
  expect(await store.presign('k', { expiresIn: 600 })).toBeUndefined();
  store.close();
});

test('an account key over TLS with a private CA', async () => {
  expect(await attempt({ kind: 'key', accountKey: server.accountKey })).toBe(10);
});
