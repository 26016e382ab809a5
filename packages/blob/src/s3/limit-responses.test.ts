// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { limitResponses } from './limit-responses.ts';

const mebibyte = 1024 * 1024;

/** A client of a store that answers every request with this many MiB. */
function clientOf(statusCode: number, mebibytes: number) {
  const taken = { mebibytes: 0 };
  async function* body() {
    for (; taken.mebibytes < mebibytes; taken.mebibytes += 1) yield Buffer.alloc(mebibyte, ' ');
  }
  const handle = async () => ({ response: { statusCode, headers: { etag: '"1"' }, body: Readable.from(body()) } });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new S3Client({ region: 'us-east-1', credentials, maxAttempts: 1, requestHandler: { handle } });
  limitResponses(client);
  return { client, taken };
}

test('a listing of more than 16 MiB is refused, and not read on', async () => {
  const { client, taken } = clientOf(200, 100);
  const listing = client.send(new ListObjectsV2Command({ Bucket: 'b' }));
  await expect(listing).rejects.toMatchObject({ message: expect.stringMatching(/longer than 16777216 bytes/) });
  expect(taken.mebibytes).toBeLessThan(40);
});

test('an error is read up to 64 KiB', async () => {
  const { client, taken } = clientOf(503, 100);
  await expect(client.send(new ListObjectsV2Command({ Bucket: 'b' }))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 503 },
  });
  expect(taken.mebibytes).toBeLessThan(40);
});

test('an object is as long as it is', async () => {
  const { client } = clientOf(200, 20);
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
  expect((await Body?.transformToByteArray())?.byteLength).toBe(20 * mebibyte);
});
