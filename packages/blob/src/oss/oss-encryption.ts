// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';

/** How OSS encrypts objects: with its own keys (`AES256`, `SM4`), or with a key of Alibaba's KMS. */
export interface OssEncryption {
  readonly algorithm: 'AES256' | 'SM4' | 'KMS';
  /** The ID of a KMS key. @default the key that KMS manages for OSS */
  readonly kmsKeyId?: string;
}

const header = 'x-oss-server-side-encryption';
const keyHeader = `${header}-key-id`;

/** The requests that may have the header. OSS refuses it in all others. */
const commands: ReadonlySet<string> = new Set(['PutObjectCommand', 'CreateMultipartUploadCommand']);

/**
 * Makes a client request encryption from OSS, with OSS's own headers, whose values differ from S3's. Throws if the
 * answer does not confirm it: a compatible server may ignore unknown headers, and the data would be stored unencrypted.
 */
export function encryptObjects(client: S3Client, encryption: OssEncryption): void {
  const { algorithm, kmsKeyId } = encryption;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        if (commands.has(commandName) && hasHeaders(call.request)) {
          call.request.headers[header] = algorithm;
          if (kmsKeyId) call.request.headers[keyHeader] = kmsKeyId;
        }
        return next(call);
      },
    { step: 'build', name: 'askOssToEncrypt' },
  );
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const result = await next(call);
        // An error response has thrown before.
        if (commands.has(commandName) && hasHeaders(result.response)) check(encryption, result.response.headers);
        return result;
      },
    { step: 'deserialize', priority: 'high', name: 'checkOssEncrypted' },
  );
}

function check({ algorithm, kmsKeyId }: OssEncryption, told: Readonly<Record<string, string>>): void {
  const said = told[header];
  if (said !== algorithm) {
    const words = said ? `its answer says ${said.slice(0, 64)}` : 'its answer does not mention encryption';
    const remedy =
      'Remove serverSideEncryption and set the encryption of the bucket, or use a backup store that supports it';
    const message = `the backup store did not confirm that it encrypts with ${algorithm}: ${words}. ${remedy}`;
    throw new BlobError('Configuration', message);
  }
  const key = told[keyHeader];
  if (!kmsKeyId || !key || key === kmsKeyId) return;
  const message = `the backup store encrypts with the KMS key ${key.slice(0, 256)} instead of ${kmsKeyId}. Correct kmsKeyID`;
  throw new BlobError('Configuration', message);
}

function hasHeaders(message: unknown): message is { readonly headers: Record<string, string> } {
  return typeof message === 'object' && message !== null && 'headers' in message;
}
