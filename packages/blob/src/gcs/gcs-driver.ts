// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo, BodySummary, LentRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { lentRead } from '../lend/lent-read.ts';
import type { LendRequest, ListPage, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { usualPartBytes } from '../write/part-sizes.ts';
import { GcsAnswer, gcsError } from './gcs-errors.ts';
import type { GcsList, GcsObject, GcsRequest, GcsRequests } from './gcs-requests.ts';
import { ResumableUpload } from './resumable-upload.ts';

export interface GcsDriverOptions {
  readonly requests: GcsRequests;
  readonly agents: GuardedAgents;
  /** Gives URLs that let others read an object; undefined if there is no key to sign them with. */
  readonly readUrl: ReadUrl | undefined;
  readonly location: string;
  readonly partBytes: number | undefined;
  readonly redact: Redact;
}

type ReadUrl = (request: LendRequest) => URL;

const octets = 'application/octet-stream';
const boundary = 'etcd-operator-boundary';

/** Objects of a bucket. The `etag` of the interface is Google's generation, which can be asked for by number. */
export class GcsDriver implements StoreDriver<ResumableUpload> {
  readonly location: string;
  readonly limits: PartLimits;
  readonly #requests: GcsRequests;
  readonly #agents: GuardedAgents;
  readonly #readUrl: ReadUrl | undefined;
  readonly #redact: Redact;

  constructor(options: GcsDriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 2 ** 31, maxPartBytes: firstPartBytes, partsInFlight: 1 };
    this.location = options.location;
    this.#requests = options.requests;
    this.#agents = options.agents;
    this.#readUrl = options.readUrl;
    this.#redact = options.redact;
  }

  /** Unfinished uploads are known to nobody but who began them, and end by themselves after a week. */
  async clear(): Promise<void> {}

  async whole(key: string, bytes: Buffer, signal: AbortSignal): Promise<Stored> {
    const md5Hash = createHash('md5').update(bytes).digest('base64');
    const metadata = JSON.stringify({ name: key, contentType: octets, md5Hash });
    const head = `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${metadata}\r\n--${boundary}\r\ncontent-type: ${octets}\r\n\r\n`;
    const request: GcsRequest = {
      method: 'POST',
      url: this.#requests.uploadUrl({ uploadType: 'multipart' }),
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      body: [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)],
      signal,
    };
    const stored = await this.#requests.json<GcsObject>(request).catch((error: unknown) => this.#bucketMissing(error));
    return this.#checked(key, stored, { bytes: bytes.byteLength, md5: md5Hash }, signal);
  }

  async begin(key: string, signal: AbortSignal): Promise<ResumableUpload> {
    const request: GcsRequest = {
      method: 'POST',
      url: this.#requests.uploadUrl({ uploadType: 'resumable', name: key }),
      headers: { 'content-type': 'application/json', 'x-upload-content-type': octets },
      body: [Buffer.from(JSON.stringify({ name: key, contentType: octets }))],
      signal,
    };
    const answer = await this.#requests.answer(request, 200, 201).catch((error: unknown) => this.#bucketMissing(error));
    answer.body.resume();
    const { location } = answer.headers;
    if (location === undefined) throw new BlobError('Unknown', `the store began an upload to ${key} without naming it`);
    return new ResumableUpload(key, this.#requests, this.#requests.ownUrl(location));
  }

  async part(upload: ResumableUpload, part: Part, signal: AbortSignal): Promise<void> {
    await upload.part(part, signal);
  }

  async finish(upload: ResumableUpload, summary: BodySummary, signal: AbortSignal): Promise<Stored> {
    const stored = await upload.finish(signal);
    return this.#checked(upload.key, stored, { bytes: summary.bytes, md5: upload.md5 }, signal);
  }

  async abort(upload: ResumableUpload, signal: AbortSignal): Promise<void> {
    await upload.abort(signal);
  }

  async read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    const isRange = offset > 0 || length !== undefined;
    const end = length === undefined ? '' : offset + length - 1;
    const url = this.#requests.url(key, { alt: 'media', ...(etag === undefined ? {} : { generation: etag }) });
    const headers = isRange ? { range: `bytes=${offset}-${end}` } : {};
    try {
      const answer = await this.#requests.answer({ method: 'GET', url, headers, signal }, 200, 206, 416);
      const bytes = Number(answer.headers['content-length']);
      if (answer.status === 416) {
        answer.body.resume();
        return { bytes: 0, etag: undefined, body: nothing() };
      }
      if ((isRange && bytes > 0 && answer.status !== 206) || !Number.isSafeInteger(bytes)) {
        answer.body.destroy();
        throw new BlobError('Unknown', 'the store does not know ranges, or sent no length');
      }
      const generation = answer.headers['x-goog-generation'];
      const found = typeof generation === 'string' ? generation : undefined;
      return { bytes, etag: found, body: interruptible(answer.body as AsyncIterable<Buffer>, signal) };
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async stat(key: string, signal: AbortSignal): Promise<BlobInfo> {
    try {
      return info(await this.#requests.json<GcsObject>({ method: 'GET', url: this.#requests.url(key), signal }));
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async lend(request: LendRequest): Promise<LentRead | undefined> {
    return this.#readUrl && lentRead(this.#readUrl(request), this.#agents);
  }

  async page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const query = { prefix, maxResults: '1000', ...(from === undefined ? {} : { pageToken: from }) };
    try {
      const url = this.#requests.url(undefined, query);
      const { items = [], nextPageToken } = await this.#requests.json<GcsList>({ method: 'GET', url, signal });
      return { items: items.map(info), next: nextPageToken || undefined };
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    try {
      const url = this.#requests.url(key);
      (await this.#requests.answer({ method: 'DELETE', url, signal }, 200, 204)).body.resume();
    } catch (error) {
      const reason = await this.#missing(error, signal);
      if (!(reason instanceof GcsAnswer && reason.status === 404)) throw reason;
    }
  }

  async sweep(): Promise<number> {
    return 0;
  }

  close(): void {
    this.#agents.close();
  }

  errorOf(thrown: unknown, what: string): BlobError {
    return gcsError(thrown, what, this.#redact);
  }

  /** The store was told the hash and should have refused anything else; if it did not, the object must not stay. */
  async #checked(
    key: string,
    stored: GcsObject,
    expected: { readonly bytes: number; readonly md5: string },
    signal: AbortSignal,
  ): Promise<Stored> {
    const isSame = Number(stored.size) === expected.bytes && (stored.md5Hash ?? expected.md5) === expected.md5;
    if (isSame) return { etag: stored.generation };
    await this.remove(key, signal);
    throw new BlobError('ChecksumMismatch', `the store has made another ${key} than was sent; it was deleted again`, {
      retryable: false,
    });
  }

  /** Whoever makes an object can miss nothing but the bucket. */
  #bucketMissing(error: unknown): never {
    if (!(error instanceof GcsAnswer) || error.status !== 404) throw error;
    throw new BlobError('BucketMissing', `the bucket of ${this.location} does not exist`);
  }

  /** Not every 404 says whether the object or the whole bucket is missing. */
  async #missing(error: unknown, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof GcsAnswer) || error.status !== 404) return error;
    const url = this.#requests.url(undefined, { maxResults: '1', fields: 'kind' });
    try {
      (await this.#requests.answer({ method: 'GET', url, signal }, 200)).body.resume();
      return error;
    } catch (answer) {
      const isGone = answer instanceof GcsAnswer && answer.status === 404;
      return isGone ? new BlobError('BucketMissing', `the bucket of ${this.location} does not exist`) : error;
    }
  }
}

function info({ name = '', size, updated, generation }: GcsObject): BlobInfo {
  return { key: name, bytes: Number(size ?? 0), modifiedAt: updated ? Date.parse(updated) : 0, etag: generation };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
