// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { sendPartsUnsigned } from './unsigned-parts.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A client, and the content hash in its requests. */
function recorded() {
  const hashes: (string | undefined)[] = [];
  const handle = async ({ headers }: { readonly headers: Record<string, string> }) => {
    hashes.push(headers['x-amz-content-sha256']);
    expect(headers['authorization']).toMatch(/x-amz-content-sha256/);
    return { response: { statusCode: 200, headers: { etag: '"1"' }, body: Readable.from([]) } };
  };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new S3Client({ region: 'us-east-1', credentials, requestHandler: { handle } });
  return { client, hashes };
}

const part = () =>
  new UploadPartCommand({ Bucket: 'b', Key: 'k', UploadId: 'u', PartNumber: 1, Body: Buffer.from('part') });
const whole = () => new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: Buffer.from('whole') });

test('parts go without their hash, whole objects with it', async () => {
  const { client, hashes } = recorded();
  sendPartsUnsigned(client);
  await client.send(part());
  await client.send(whole());
  expect(hashes).toEqual(['UNSIGNED-PAYLOAD', hashOf('whole')]);
});

test('without it every byte is in the signature', async () => {
  const { client, hashes } = recorded();
  await client.send(part());
  expect(hashes).toEqual([hashOf('part')]);
});
