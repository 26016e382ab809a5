// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { expectClean } from '../testing/expect-clean.ts';
import { type IdentityRequest, type IdentityServer, startIdentityServer } from '../testing/identity-server.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { plainRequest } from '../testing/presign-suite.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import { openS3 } from './open-s3.ts';
import { type S3Credentials, type S3Options, s3CredentialsFromSecret } from './s3-options.ts';

let store: S3Server;
let identity: IdentityServer;
let directory: string;

beforeAll(async () => {
  store = await startVersitygw();
  directory = await mkdtemp(join(tmpdir(), 'blob-identity-'));
});
afterAll(async () => {
  await store?.stop();
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  identity = await startIdentityServer(answer);
  // The machine's own credentials must not be used.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(directory, 'none'));
  vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'none'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await identity.stop();
});

/** None: versitygw knows only its own sessions. */
let sessionToken = '';
const expiration = '2100-01-01T00:00:00Z';

/** The security token service, the metadata service of machines, and that of containers, in one server. */
function answer({ method, path, body }: IdentityRequest): string | object | undefined {
  const { accessKeyId: id, secretAccessKey: key } = store;
  const action = new URLSearchParams(body).get('Action');
  if (path === '/' && action !== null) {
    const credentials = `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${key}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>`;
    return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>${credentials}</${action}Result></${action}Response>`;
  }
  const given = { AccessKeyId: id, SecretAccessKey: key, Token: sessionToken, Expiration: expiration };
  if (path === '/pod') return given;
  if (method === 'PUT' && path === '/latest/api/token') return 'metadata-token';
  if (path === '/latest/meta-data/iam/security-credentials/') return 'role-of-the-machine';
  if (path.endsWith('/role-of-the-machine')) return { ...given, Code: 'Success' };
  return undefined;
}

async function attempt(credentials?: S3Credentials, at: Partial<S3Options> = {}): Promise<unknown> {
  const { bucket, endpoint, region } = store;
  const opened = await openS3(
    {
      bucket,
      endpoint,
      region,
      forcePathStyle: true,
      ...(credentials ? { credentials } : {}),
      policy: { allowLocal: true },
      ...at,
    },
    { retry: { ...quickRetries, requestTimeoutMs: 30_000 } },
  );
  try {
    return (await opened.put('k', chunked(bytesOf(10)))).bytes;
  } catch (error) {
    return error;
  } finally {
    opened.close();
  }
}

test('keys of the environment', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', store.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', store.secretAccessKey);
  expect(await attempt()).toBe(10);
});

test('the token of a service account, exchanged for a role (IRSA)', async () => {
  const token = join(directory, 'token');
  await writeFile(token, 'token-of-the-pod');
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', token);
  vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/backup');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ENDPOINT_URL_STS', identity.url);
  expect(await attempt()).toBe(10);
  expect(identity.asked[0]?.body).toContain('Action=AssumeRoleWithWebIdentity');
  expect(identity.asked[0]?.body).toContain('token-of-the-pod');
});

test('the identity of the pod (EKS)', async () => {
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${identity.url}/pod`);
  vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'pod-token');
  expect(await attempt()).toBe(10);
  expect(identity.asked[0]?.headers.authorization).toBe('pod-token');
});

test('what a pod identity lends can be read without it', async () => {
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${identity.url}/pod`);
  vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'pod-token');
  expect(await attempt()).toBe(10);
  const { bucket, endpoint, region } = store;
  const opened = await openS3({ bucket, endpoint, region, forcePathStyle: true, policy: { allowLocal: true } });
  const presigned = await opened.presign('k', { expiresIn: 600 });
  opened.close();
  expect(presigned && (await plainRequest(presigned))).toEqual({ status: 200, body: bytesOf(10) });
});

test('the role of the machine', async () => {
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', identity.url);
  expect(await attempt()).toBe(10);
  expect(identity.asked.map(({ path }) => path)).toContain('/latest/api/token');
});

test('the Secret of an EtcdBackup with keys, and one with nothing but a region', async () => {
  const { accessKeyId, secretAccessKey } = store;
  const keys = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
  expect(await attempt(s3CredentialsFromSecret({ credentials: keys, config: '[default]\nregion = us-east-1\n' }))).toBe(
    10,
  );
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', identity.url);
  expect(await attempt(s3CredentialsFromSecret({ config: '[default]\nregion = us-east-1\n' }))).toBe(10);
});

test('a profile that assumes a role with the keys of another', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_STS', identity.url);
  const credentials = '[base]\naws_access_key_id=AKIABASE\naws_secret_access_key=MARKER-base-secret\n';
  const config =
    '[default]\nregion=us-east-1\nrole_arn=arn:aws:iam::123456789012:role/backup\nsource_profile=base\nexternal_id=tenant-7\n';
  expect(await attempt({ kind: 'files', credentials, config })).toBe(10);
  expect(identity.asked[0]?.body).toContain('Action=AssumeRole');
  expect(identity.asked[0]?.body).toContain('ExternalId=tenant-7');
  expect(identity.asked[0]?.headers.authorization).toContain('AKIABASE');
});

describe('the service that lends credentials is another host than the store', () => {
  // The store has one name and the service another, as in AWS.
  const named = () => {
    const endpoint = store.endpoint.replace('127.0.0.1', 'localhost');
    return { endpoint, policy: { allowLocal: true, allow: [new URL(endpoint).host] } };
  };
  const base = '[base]\naws_access_key_id=AKIABASE\naws_secret_access_key=MARKER-base-secret\n';
  const role = '[default]\nregion=us-east-1\nrole_arn=arn:aws:iam::123456789012:role/backup\n';

  test('for a role of a profile', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_STS', identity.url);
    const credentials = { kind: 'files', credentials: base, config: `${role}source_profile=base\n` } as const;
    expect(await attempt(credentials, named())).toBe(10);
    expect(identity.asked[0]?.body).toContain('Action=AssumeRole');
  });

  test('for the token of a service account', async () => {
    const token = join(directory, 'token');
    await writeFile(token, 'token-of-the-pod');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', token);
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/backup');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ENDPOINT_URL_STS', identity.url);
    expect(await attempt(undefined, named())).toBe(10);
    expect(identity.asked[0]?.body).toContain('token-of-the-pod');
  });
});

test('a session that the store does not know any more has expired', async () => {
  sessionToken = 'MARKER-session';
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${identity.url}/pod`);
  const error = await attempt();
  sessionToken = '';
  expect(error).toMatchObject({ code: 'Expired', retryable: false });
  expectClean(error, ['MARKER-session', store.secretAccessKey]);
});

test('an environment that gives nothing is a matter of configuration', async () => {
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  const error = await attempt();
  expect(error).toMatchObject({ code: 'Configuration', retryable: false });
  expectClean(error, [store.secretAccessKey]);
});
