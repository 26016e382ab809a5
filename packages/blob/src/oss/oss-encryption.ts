// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';

/** How OSS encrypts what it stores: with keys of its own (`AES256`, `SM4`), or with one of Alibaba's KMS. */
export interface OssEncryption {
  readonly algorithm: 'AES256' | 'SM4' | 'KMS';
  /** The ID of a key of KMS. @default the one that KMS manages for OSS */
  readonly kmsKeyId?: string;
}

const header = 'x-oss-server-side-encryption';
const keyHeader = `${header}-key-id`;

/** OSS refuses the header with any other request. */
const commands: ReadonlySet<string> = new Set(['PutObjectCommand', 'CreateMultipartUploadCommand']);

/**
 * Has a client ask OSS to encrypt objects, with OSS's own headers, which the protocol of S3 has other values for. Throws if the answer does
 * not confirm it: whatever speaks for OSS may ignore headers that it does not know, and the data would lie there in the clear.
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
        // A response that is a fault has thrown before.
        if (commands.has(commandName) && hasHeaders(result.response)) check(encryption, result.response.headers);
        return result;
      },
    { step: 'deserialize', priority: 'high', name: 'checkOssEncrypted' },
  );
}

function check({ algorithm, kmsKeyId }: OssEncryption, told: Readonly<Record<string, string>>): void {
  const said = told[header];
  if (said !== algorithm) {
    const words = said ? `it says ${said.slice(0, 64)}` : 'it says nothing of it';
    const remedy = 'Remove serverSideEncryption and set the encryption of the bucket, or use a store that supports it';
    const message = `the store did not confirm that it encrypts with ${algorithm}: ${words}. ${remedy}`;
    throw new BlobError('Configuration', message);
  }
  const key = told[keyHeader];
  if (!kmsKeyId || !key || key === kmsKeyId) return;
  const message = `the store encrypts with the KMS key ${key.slice(0, 256)} instead of ${kmsKeyId}. Correct kmsKeyID`;
  throw new BlobError('Configuration', message);
}

function hasHeaders(message: unknown): message is { readonly headers: Record<string, string> } {
  return typeof message === 'object' && message !== null && 'headers' in message;
}
