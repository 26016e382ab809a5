// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import type { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';
import { type QuerySigner, signedUrl } from '../presign/query-signature.ts';

interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The target of a read, and the region of its signature. */
interface ReadTarget {
  readonly url: URL;
  readonly region: string;
}

/**
 * The presigned URL of an object. Undefined for directory buckets (single zone), which need session credentials.
 *
 * @param command a read that was not sent yet, and must not be sent later
 */
export async function presignedRead(
  client: S3Client,
  command: GetObjectCommand,
  { now, seconds }: { readonly now: number; readonly seconds: number },
  abortSignal: AbortSignal,
): Promise<URL | undefined> {
  if (command.input.Bucket?.endsWith('--x-s3')) return undefined;
  const { url, region } = await targetOf(client, command, abortSignal);
  const keys = await client.config.credentials();
  // The client has learnt the clock difference from earlier answers.
  return signedUrl(url, sigV4Signer(keys, region), now + client.config.systemClockOffset, seconds);
}

/** Signs for S3 in a region. */
export function sigV4Signer(keys: S3Keys, region: string): QuerySigner {
  const scope = [region, 's3', 'aws4_request'];
  return {
    algorithm: 'AWS4-HMAC-SHA256',
    prefix: 'X-Amz',
    identity: keys.accessKeyId,
    scope,
    ...(keys.sessionToken ? { sessionToken: keys.sessionToken } : {}),
    sign: (text, day) => {
      const start = Buffer.from(`AWS4${keys.secretAccessKey}`);
      const key = [day, ...scope].reduce<Buffer>((secret, step) => hmac(secret, step), start);
      return hmac(key, text).toString('hex');
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/**
 * Lets the SDK build the request up to its URL, by its own rules for hosts, buckets and regions, without sending it.
 */
async function targetOf(client: S3Client, command: GetObjectCommand, abortSignal: AbortSignal): Promise<ReadTarget> {
  let target: ReadTarget | undefined;
  command.middlewareStack.add(
    (_next, context) =>
      async ({ request }) => {
        const region: unknown = context['signing_region'];
        if (isRequest(request) && typeof region === 'string') target = { url: urlOf(request), region };
        return { response: undefined, output: { $metadata: {} } };
      },
    { step: 'build', priority: 'low', name: 'keepUnsent' },
  );
  await client.send(command, { abortSignal });
  if (!target) throw new BlobError('Unknown', 'the S3 SDK did not resolve an endpoint');
  return target;
}

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
}

function isRequest(request: unknown): request is SdkRequest {
  return typeof request === 'object' && request !== null && 'hostname' in request && 'path' in request;
}

function urlOf({ protocol, hostname, port, path }: SdkRequest): URL {
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
}
