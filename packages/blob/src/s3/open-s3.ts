// SPDX-License-Identifier: Apache-2.0
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { systemClock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { redactor } from '../call/fault.ts';
import { checkEndpoint, type EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import { type GuardedAgents, guardedAgents } from '../endpoint/guarded-agents.ts';
import { checkHeaderValue } from '../endpoint/header-value.ts';
import { createStore, type StoreSettings } from '../store.ts';
import { isRegion } from './aws-profile.ts';
import { limitResponses } from './limit-responses.ts';
import { areS3CredentialsAmbient, resolveCredentials } from './s3-credentials.ts';
import { S3Driver } from './s3-driver.ts';
import type { S3Credentials, S3Options } from './s3-options.ts';
import { sendPartsUnsigned } from './unsigned-parts.ts';

/** Opens a bucket. Loads the SDK; makes no request. */
export async function openS3(options: S3Options, settings: StoreSettings = {}): Promise<BlobStore> {
  const policy = options.policy ?? {};
  checkBucket(options.bucket);
  checkHeaderValue('kmsKeyID', options.encryption?.kmsKeyId);
  const asked = options.credentials ?? { kind: 'chain' };
  const identity = identityAgents(asked, options, settings.fence);
  const credentials = await resolveCredentials(asked, { httpAgent: identity.http, httpsAgent: identity.https });
  const server = options.endpoint || credentials.endpoint;
  const endpoint = server ? checkEndpoint(server, policy) : undefined;
  const region = options.region ?? credentials.region ?? process.env['AWS_REGION'] ?? 'us-east-1';
  if (!isRegion(region)) throw new BlobError('Configuration', `"${region}" is not a valid region`);
  const sdk = await import('@aws-sdk/client-s3');
  const agents = guardedAgents({
    policy: endpointPolicy(policy, endpoint),
    ...(endpoint ? { host: endpoint.hostname } : {}),
    fence: settings.fence,
    ...(options.caCertificates === undefined ? {} : { caCertificates: options.caCertificates }),
  });
  const client = new sdk.S3Client({
    ...(endpoint ? ofEndpoint(endpoint) : {}),
    region,
    credentials: credentials.provider,
    forcePathStyle: options.forcePathStyle ?? credentials.isPathStyle,
    // The SDK must not retry: this package does, with its own clock. A part is sent at once, because not every store
    // answers "100 Continue".
    maxAttempts: 1,
    expectContinueHeader: false,
    followRegionRedirects: false,
    requestHandler: { httpAgent: agents.http, httpsAgent: agents.https },
  });
  limitResponses(client);
  options.adapt?.(client);
  const overTls = endpoint?.protocol !== 'http:';
  if (overTls && !options.signedParts) sendPartsUnsigned(client);
  const close = () => {
    agents.close();
    identity.close();
  };
  const driver = new S3Driver({
    sdk,
    client,
    agents: { ...agents, close },
    bucket: options.bucket,
    location: `${options.scheme ?? 's3'}://${options.bucket}`,
    server: endpoint?.href ?? `https://s3.${region}.amazonaws.com/`,
    partBytes: options.partBytes,
    maxKeyBytes: options.maxKeyBytes,
    atRest: options,
    clock: settings.clock ?? systemClock,
    redact: redactor(credentials.secrets),
  });
  return createStore(driver, settings);
}

/** The driver computes the checksums of uploads; not all stores support the checksums of the SDK. */
function ofEndpoint(endpoint: URL): S3ClientConfig {
  return {
    endpoint: endpoint.href.replace(/\/$/, ''),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/**
 * Connections to the service that issues credentials for a role. Users cannot choose its host: it belongs to AWS in a
 * region, or is set in the operator's own environment. The CA certificates of a store are not trusted for it if the
 * credentials are the operator's own.
 */
function identityAgents(
  credentials: S3Credentials,
  { policy = {}, caCertificates }: S3Options,
  fence: StoreSettings['fence'],
): GuardedAgents {
  const { allow: _, ...others } = policy;
  const isOwn = caCertificates !== undefined && !areS3CredentialsAmbient(credentials);
  return guardedAgents({ policy: others, fence, ...(isOwn && { caCertificates }) });
}

/**
 * The policy for connections to an endpoint. The endpoint was checked against the allow-list before; connections may
 * have the bucket name in front of its host, so they are not checked against the list.
 */
function endpointPolicy(policy: EndpointPolicy, endpoint: URL | undefined): EndpointPolicy {
  if (!endpoint) return policy;
  const { allow: _, ...others } = policy;
  return others;
}

/** Throws for an invalid bucket name, because it becomes part of a host name or of a path. */
function checkBucket(bucket: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) || bucket.includes('..')) {
    throw new BlobError('InvalidPath', `${JSON.stringify(bucket)} is not a valid bucket name`);
  }
}
