// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { BlobStore } from '../blob-store.ts';
import { bytesOf, chunked, collect } from '../testing/bodies.ts';
import { type Answered, corrupted, type Fault, FaultProxy, type ProxiedRequest } from '../testing/fault-proxy.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';
import { crc32Of, crc32OfParts } from './part-sums.ts';

const partBytes = 5 * mebibyte;
const body = bytesOf(partBytes * 2 + 100, 7);
const parts = [0, 1, 2].map((index) => {
  const bytes = body.subarray(index * partBytes, (index + 1) * partBytes);
  return { number: index + 1, bytes: bytes.byteLength, sum: crc32Of(bytes) };
});

let server: S3Server;
let proxy: FaultProxy;
let store: BlobStore;

beforeAll(async () => {
  server = await startVersitygw();
  proxy = await FaultProxy.start(server.port);
  const { bucket, region, accessKeyId, secretAccessKey } = server;
  store = await openS3(
    {
      bucket,
      region,
      endpoint: `http://127.0.0.1:${proxy.port}`,
      forcePathStyle: true,
      partBytes,
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
      policy: { allowLocal: true },
    },
    { retry: quickRetries },
  );
});
afterEach(() => proxy.expect(() => undefined));
afterAll(async () => {
  store?.close();
  await proxy?.stop();
  await server?.stop();
});

/** What happens to the answer of the request that completes a multipart upload. */
function finished(alter: (answer: Answered) => Answered): (request: ProxiedRequest) => Fault | undefined {
  return ({ method, url }) => (method === 'POST' && url.includes('uploadId=') ? { kind: 'alter', alter } : undefined);
}

/** The store's answer, with this checksum. */
function telling(sum: string, { body: told, ...answer }: Answered): Answered {
  const text = told.toString();
  expect(text).toContain('<ChecksumCRC32>');
  return { ...answer, body: Buffer.from(text.replace(/(<ChecksumCRC32>)[^<]*/, `$1${sum}`)) };
}

/** Changes the files of the store. */
function damage(key: string): Buffer {
  const [, directory = ''] = server.twin('').paths;
  const path = join(directory, 'root', server.bucket, key);
  const changed = corrupted(readFileSync(path));
  writeFileSync(path, changed);
  return changed;
}

const put = (key: string) => store.put(key, chunked(body));

test('a store that tells the checksum of the whole object has proven it', async () => {
  expect(await put('assembled/sound')).toMatchObject({ parts: 3, proof: 'checksum' });
  expect(crc32(body)).toBe(crc32(await collect(store.get('assembled/sound'))));
});

test('an object of which the store tells another checksum is read, and deleted if it is damaged', async () => {
  const key = 'assembled/other';
  proxy.expect(finished((answer) => telling(crc32Of(damage(key)), answer)));
  await expect(put(key)).rejects.toMatchObject({
    code: 'ChecksumMismatch',
    message: expect.stringContaining('deleted'),
  });
  await expect(store.stat(key)).rejects.toMatchObject({ code: 'NotFound' });
});

test('an object of which the store tells another checksum is kept if reading shows that it is sound', async () => {
  proxy.expect(finished((answer) => telling('AAAAAA==', answer)));
  expect(await put('assembled/wrong-sum')).toMatchObject({ proof: 'read-back' });
});

test('checksums of parts do not prove what was put together of them', async () => {
  const key = 'assembled/composite';
  proxy.expect(finished((answer) => telling(crc32OfParts(parts), answer)));
  expect(await put(key)).toMatchObject({ proof: 'read-back' });
  proxy.expect(
    finished((answer) => {
      damage(key);
      return telling(crc32OfParts(parts), answer);
    }),
  );
  await expect(put(key)).rejects.toMatchObject({ code: 'ChecksumMismatch' });
});

test('a store that knows no checksum of the whole still gets one with every part', async () => {
  const refused = '<?xml version="1.0"?><Error><Code>InvalidArgument</Code><Message>no such type</Message></Error>';
  const sent: ProxiedRequest[] = [];
  proxy.expect((request) => {
    sent.push(request);
    return request.headers['x-amz-checksum-type'] === undefined
      ? undefined
      : { kind: 'answer', answer: { status: 400, headers: { 'content-type': 'application/xml' }, body: refused } };
  });
  expect(await put('assembled/refused')).toMatchObject({ parts: 3, proof: 'read-back' });
  const ofParts = sent.filter(({ url }) => url.includes('partNumber='));
  expect(new Set(ofParts.map(({ headers }) => headers['x-amz-checksum-crc32']))).toEqual(
    new Set(parts.map(({ sum }) => sum)),
  );
});
