// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { redactor } from '../call/fault.ts';
import { checkEndpoint } from '../endpoint/endpoint-policy.ts';
import { guardedAgents } from '../endpoint/guarded-agents.ts';
import { checkHeaderValue } from '../endpoint/header-value.ts';
import { createStore, type StoreSettings } from '../store.ts';
import { GcsDriver } from './gcs-driver.ts';
import { type GcsCredentials, type GcsOptions, parseServiceAccount, type ServiceAccount } from './gcs-options.ts';
import { GcsRequests } from './gcs-requests.ts';
import { signedRead } from './sign-read.ts';

const defaultEndpoint = 'https://storage.googleapis.com';

/** All chunks except the last must be a multiple of this. */
const chunkUnit = 256 * 1024;

/** Opens a bucket. Loads Google's SDK if a token is needed; makes no request. */
export async function openGcs(options: GcsOptions, settings: StoreSettings = {}): Promise<BlobStore> {
  const { bucket, policy = {}, credentials = { kind: 'chain' }, partBytes } = options;
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket) || bucket.includes('..')) {
    throw new BlobError('InvalidPath', `${JSON.stringify(bucket)} is not a valid bucket name`);
  }
  if (partBytes !== undefined && (partBytes === 0 || partBytes % chunkUnit !== 0)) {
    throw new BlobError('Configuration', `partBytes of Google Cloud Storage must be a multiple of ${chunkUnit}`);
  }
  checkHeaderValue('kmsKeyName', options.kmsKeyName);
  const endpoint = checkEndpoint(options.endpoint || defaultEndpoint, policy);
  if (endpoint.protocol !== 'https:' && !policy.allowLocal) {
    throw new BlobError(
      'Configuration',
      'the endpoint of Google Cloud Storage must use https, because requests contain a token',
    );
  }
  const account = credentials.kind === 'service-account' ? parseServiceAccount(credentials.json) : undefined;
  const token = await tokenSource(credentials, account);
  const agents = guardedAgents({
    policy,
    host: endpoint.hostname,
    fence: settings.fence,
    ...(options.caCertificates === undefined ? {} : { caCertificates: options.caCertificates }),
  });
  const driver = new GcsDriver({
    requests: new GcsRequests(endpoint, bucket, agents, token.get),
    agents,
    readUrl: account && ((request) => signedRead(endpoint, bucket, account, request)),
    location: `gs://${bucket}`,
    server: endpoint.href,
    partBytes,
    kmsKeyName: options.kmsKeyName,
    objectLock: options.objectLock,
    clock: settings.clock ?? systemClock,
    redact: redactor(token.secrets),
  });
  return createStore(driver, settings);
}

interface TokenSource {
  readonly get: () => Promise<string>;
  readonly secrets: readonly string[];
}

async function tokenSource(credentials: GcsCredentials, account: ServiceAccount | undefined): Promise<TokenSource> {
  if (credentials.kind === 'token') {
    const { accessToken } = credentials;
    if (!/^[\x21-\x7e]+$/.test(accessToken)) {
      throw new BlobError('Configuration', 'the access token contains invalid characters, such as a line break');
    }
    return { get: async () => accessToken, secrets: [accessToken] };
  }
  const { Storage } = await import('@google-cloud/storage');
  const { authClient } = new Storage(account ? { credentials: { ...account } } : {});
  const get = async () => {
    const token = await authClient.getAccessToken();
    if (!token) throw new BlobError('Configuration', 'no access token for Google Cloud Storage could be obtained');
    return token;
  };
  return { get, secrets: account ? [account.private_key] : [] };
}
