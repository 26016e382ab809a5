// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlobStore, PresignedRead } from '../blob-store.ts';
import { bytesOf, chunked, collect } from './bodies.ts';
import { specialKeys } from './special-keys.ts';

/** Stores that presign reads of one bucket. */
export interface Presigner {
  readonly store: BlobStore;
  /** The same store, opened with the clock `anHourAgo`. */
  readonly past: BlobStore;
  /** Must not appear in a presigned read. */
  readonly secrets: readonly string[];
}

/** Whether this kind of store presigns reads, and whether its server checks signatures. */
export type PresignSupport = 'checked' | 'unchecked' | 'never';

interface PresignSubject {
  readonly store: BlobStore;
  readonly presigner: Presigner;
}

/** A clock with which a presigned read of less than an hour has expired already. */
export const anHourAgo: Clock = {
  now: () => systemClock.now() - 3_600_000,
  monotonic: () => systemClock.monotonic(),
  schedule: (milliseconds, callback, options) => systemClock.schedule(milliseconds, callback, options),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal),
};

interface PlainAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** The answer to a client that has only the presigned read. Every name resolves to loopback. */
export async function plainRequest({ url, headers, ca }: PresignedRead, method = 'GET'): Promise<PlainAnswer> {
  const make = url.startsWith('https:') ? httpsRequest : httpRequest;
  const lookup = { lookup: (_host: string, _options: object, done: LookupDone) => done(null, loopback) };
  const { promise, resolve, reject } = Promise.withResolvers<PlainAnswer>();
  const options = { method, headers, agent: false, ...lookup, ...(ca === undefined ? {} : { ca }) };
  const request = make(url, options, (answer) => {
    collect(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
  });
  request.once('error', reject);
  request.end();
  return promise;
}

type LookupDone = (error: null, addresses: { address: string; family: number }[]) => void;
const loopback = [{ address: '127.0.0.1', family: 4 }];

/** A presigned read allows its object, and nothing else. Part of the conformance suite. */
export function testPresigning(presigning: PresignSupport, subject: () => PresignSubject): void {
  test('is not presigned for an invalid key or time', async () => {
    const { store } = subject().presigner;
    await expect(store.presign('../k', { expiresIn: 60 })).rejects.toMatchObject({ code: 'InvalidPath' });
    for (const expiresIn of [0, -1, 1.5, Number.NaN, 43_201]) {
      await expect(store.presign('k', { expiresIn })).rejects.toMatchObject({
        code: 'Configuration',
        retryable: false,
      });
    }
    const signal = AbortSignal.abort();
    await expect(store.presign('k', { expiresIn: 60, signal })).rejects.toMatchObject({ code: 'Aborted' });
  });

  if (presigning === 'never') testNothingPresigned(subject);
  else testLentReads(subject);
  if (presigning === 'checked') testRefusals(subject);
}

function testNothingPresigned(subject: () => PresignSubject): void {
  test('is not to be had', async () => {
    expect(await subject().store.presign('k', { expiresIn: 60 })).toBeUndefined();
  });
}

function testLentReads(subject: () => PresignSubject): void {
  test.each(specialKeys)('gives the bytes to its holder: %j', async (name) => {
    const { store, presigner } = subject();
    const key = `lent/${name}`;
    const body = bytesOf(10_000, name.length);
    await store.put(key, chunked(body));
    expect(await plainRequest(await presignedBy(presigner.store, key))).toEqual({ status: 200, body });
  });

  test('gives a part of them, and shows no secret', async () => {
    const { store, presigner } = subject();
    const body = bytesOf(5_000, 3);
    await store.put('lent/part', chunked(body));
    const presigned = await presignedBy(presigner.store, 'lent/part');
    const answer = await plainRequest({ ...presigned, headers: { ...presigned.headers, range: 'bytes=100-199' } });
    expect(answer).toEqual({ status: 206, body: body.subarray(100, 200) });
    const text = JSON.stringify(presigned) + decodeURIComponent(presigned.url);
    for (const secret of presigner.secrets) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  test('is presigned without asking whether there is such an object', async () => {
    const presigned = await presignedBy(subject().presigner.store, 'lent/not-there');
    expect((await plainRequest(presigned)).status).toBe(404);
  });
}

function testRefusals(subject: () => PresignSubject): void {
  let presigned: PresignedRead;

  beforeAll(async () => {
    const { store, presigner } = subject();
    for (const key of ['lent/mine', 'lent/other']) await store.put(key, chunked(Buffer.from(key)));
    presigned = await presignedBy(presigner.store, 'lent/mine');
  });
  afterAll(async () => {
    expect(await plainRequest(presigned)).toEqual({ status: 200, body: Buffer.from('lent/mine') });
  });

  test('is good for one object only', async () => {
    const other = { ...presigned, url: presigned.url.replace('lent/mine', 'lent/other') };
    expect((await plainRequest(other)).status).toBe(403);
  });

  test('is good for reading only', async () => {
    expect((await plainRequest(presigned, 'DELETE')).status).toBe(403);
    // A complete write request that lacks only the permission.
    const write = { ...presigned, headers: { 'x-ms-blob-type': 'BlockBlob', 'content-length': '0' } };
    expect((await plainRequest(write, 'PUT')).status).toBe(403);
  });

  test('cannot be changed', async () => {
    // A URL that is encoded again is still valid.
    expect((await plainRequest({ ...presigned, url: rewritten(presigned.url, () => {}) })).status).toBe(200);
    const names = [...new URL(presigned.url).searchParams.keys()].filter((name) => changes.has(name));
    expect(names).toHaveLength(3);
    for (const name of names) {
      const change = (query: URLSearchParams) => query.set(name, changes.get(name)?.(query.get(name) ?? '') ?? '');
      expect((await plainRequest({ ...presigned, url: rewritten(presigned.url, change) })).status).toBe(403);
    }
  });

  test('ends', async () => {
    const expired = await presignedBy(subject().presigner.past, 'lent/mine');
    expect((await plainRequest(expired)).status).toBe(403);
  });
}

async function presignedBy(store: BlobStore, key: string): Promise<PresignedRead> {
  const presigned = await store.presign(key, { expiresIn: 600 });
  if (!presigned) throw new Error(`${store.location} presigns nothing`);
  return presigned;
}

function rewritten(text: string, change: (query: URLSearchParams) => void): string {
  const url = new URL(text);
  const query = new URLSearchParams(url.search);
  change(query);
  url.search = query.toString();
  return url.href;
}

const otherStart = (value: string) => (value.startsWith('a') ? 'b' : 'a') + value.slice(1);

/** Changes that would extend a presigned read, by parameters of S3 and of Azure: other values of the same form. */
const changes: ReadonlyMap<string, (value: string) => string> = new Map([
  ['X-Amz-Expires', (value: string) => String(Number(value) + 1)],
  ['X-Amz-Date', (value: string) => value.replace(/(\d)Z$/, (_all, digit) => `${(Number(digit) + 1) % 10}Z`)],
  ['X-Amz-Signature', otherStart],
  ['se', (value: string) => new Date(Date.parse(value) + 60_000).toISOString().replace(/\.\d+/, '')],
  ['sp', () => 'rw'],
  ['sig', otherStart],
]);
