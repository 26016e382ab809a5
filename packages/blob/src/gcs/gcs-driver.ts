// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Clock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo, BodySummary, Cleared, PresignedRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { textOf } from '../endpoint/http-call.ts';
import type { ObjectLock } from '../object-lock.ts';
import { toPresignedRead } from '../presign/presigned-read.ts';
import { answeredRange } from '../read/content-range.ts';
import type { ListPage, ObjectFacts, PresignRequest, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { usualPartBytes } from '../write/part-sizes.ts';
import { GcsAnswer, gcsError } from './gcs-errors.ts';
import { type GcsList, type GcsObject, type GcsRequest, type GcsRequests, parsedObject } from './gcs-requests.ts';
import { ResumableUpload } from './resumable-upload.ts';
import { checkRetained, explainRefusal, retentionInput } from './retention.ts';

export interface GcsDriverOptions {
  readonly requests: GcsRequests;
  readonly agents: GuardedAgents;
  /** Creates signed URLs for reading an object; undefined if there is no key to sign with. */
  readonly readUrl: ReadUrl | undefined;
  readonly location: string;
  readonly server: string;
  readonly partBytes: number | undefined;
  readonly kmsKeyName: string | undefined;
  readonly objectLock: ObjectLock | undefined;
  readonly clock: Clock;
  readonly redact: Redact;
}

type ReadUrl = (request: PresignRequest) => URL;

const octets = 'application/octet-stream';
const boundary = 'etcd-operator-boundary';
const markName = 'etcd-operator-upload';

/** Objects of a bucket. The `etag` of the interface is Google's generation, which requests can name. */
export class GcsDriver implements StoreDriver<ResumableUpload> {
  readonly location: string;
  readonly server: string;
  readonly limits: PartLimits;
  readonly unlocked: GcsDriver | undefined;
  readonly #requests: GcsRequests;
  readonly #agents: GuardedAgents;
  readonly #readUrl: ReadUrl | undefined;
  readonly #redact: Redact;
  /** The metadata of each upload. */
  readonly #atRest: { readonly kmsKeyName?: string };
  readonly #objectLock: ObjectLock | undefined;
  readonly #clock: Clock;

  constructor(options: GcsDriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 2 ** 31, maxPartBytes: firstPartBytes, partsInFlight: 1 };
    this.location = options.location;
    this.server = options.server;
    this.#requests = options.requests;
    this.#agents = options.agents;
    this.#readUrl = options.readUrl;
    this.#redact = options.redact;
    this.#atRest = options.kmsKeyName ? { kmsKeyName: options.kmsKeyName } : {};
    this.#objectLock = options.objectLock;
    this.#clock = options.clock;
    this.unlocked = options.objectLock && new GcsDriver({ ...options, objectLock: undefined });
  }

  /** Nothing to do: only the process that began an upload knows it, and unfinished uploads expire after a week. */
  async clear(): Promise<Cleared> {
    return 'cleared';
  }

  /** Google's limit on names equals our limit on keys. */
  keyProblem(key: string): string | undefined {
    return key.startsWith('.well-known/acme-challenge/') ? 'begins with .well-known/acme-challenge/' : undefined;
  }

  async whole(key: string, bytes: Buffer, mark: string, signal: AbortSignal): Promise<Stored> {
    const md5Hash = createHash('md5').update(bytes).digest('base64');
    const metadata = JSON.stringify({ ...this.#described(key, mark), md5Hash });
    const head = `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${metadata}\r\n--${boundary}\r\ncontent-type: ${octets}\r\n\r\n`;
    const request: GcsRequest = {
      method: 'POST',
      url: this.#requests.uploadUrl({ uploadType: 'multipart', ...this.#atRest }),
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      body: [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)],
      signal,
    };
    const stored = await this.#object(request).catch(this.#explained(`storing ${key}`));
    this.#checkKey(stored, key);
    return compared(stored, bytes.byteLength, md5Hash);
  }

  async begin(key: string, mark: string, signal: AbortSignal): Promise<ResumableUpload> {
    const request: GcsRequest = {
      method: 'POST',
      url: this.#requests.uploadUrl({ uploadType: 'resumable', name: key, ...this.#atRest }),
      headers: { 'content-type': 'application/json', 'x-upload-content-type': octets },
      body: [Buffer.from(JSON.stringify(this.#described(key, mark)))],
      signal,
    };
    const what = `beginning an upload to ${key}`;
    const answer = await this.#requests.answer(request, 200, 201).catch(this.#explained(what));
    answer.body.resume();
    const { location } = answer.headers;
    if (!location)
      throw new BlobError(
        'Unavailable',
        `the backup store began an upload to ${key} without returning its session URL`,
      );
    return new ResumableUpload(key, this.#requests, this.#requests.ownUrl(location));
  }

  async part(upload: ResumableUpload, part: Part, signal: AbortSignal): Promise<void> {
    await upload.part(part, signal);
  }

  async finish(upload: ResumableUpload, summary: BodySummary, signal: AbortSignal): Promise<Stored> {
    const stored = await upload.finish(signal);
    this.#checkKey(stored, upload.key);
    return compared(stored, summary.bytes, upload.md5);
  }

  async abort(upload: ResumableUpload, signal: AbortSignal): Promise<void> {
    await upload.abort(signal);
  }

  async read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    const end = length === undefined ? '' : offset + length - 1;
    const url = this.#requests.url(key, { alt: 'media', ...(etag === undefined ? {} : { generation: etag }) });
    // A range is requested even for the whole object, because only the answer to a range contains the total length.
    const headers = { range: `bytes=${offset}-${end}` };
    try {
      const answer = await this.#requests.answer({ method: 'GET', url, headers, signal }, 200, 206, 416);
      if (answer.status === 416) {
        answer.body.resume();
        return { range: undefined, etag: undefined, body: nothing() };
      }
      const {
        'content-range': contentRange,
        'content-length': length,
        'x-goog-generation': generation,
      } = answer.headers;
      const contentLength = length === undefined ? undefined : Number(length);
      try {
        const range = answeredRange({ status: answer.status, contentRange, contentLength });
        if (typeof generation !== 'string')
          throw new BlobError('Unavailable', `the backup store did not report the generation of ${key}`);
        return { range, etag: generation, body: interruptible(answer.body as AsyncIterable<Buffer>, signal) };
      } catch (error) {
        answer.body.destroy();
        throw error;
      }
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async stat(key: string, signal: AbortSignal): Promise<ObjectFacts> {
    try {
      const found = await this.#object({ method: 'GET', url: this.#requests.url(key), signal });
      return { ...info(found), mark: found.metadata?.[markName] };
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async confirm(key: string, signal: AbortSignal): Promise<void> {
    if (!this.#objectLock) return;
    const look = this.#object({ method: 'GET', url: this.#requests.url(key), signal });
    const found = await look.catch((error: unknown) => {
      if (!(error instanceof GcsAnswer) || error.status !== 403) throw error;
      return undefined;
    });
    checkRetained(this.#objectLock, found, key, this.#clock.now());
  }

  async presign(request: PresignRequest): Promise<PresignedRead | undefined> {
    return this.#readUrl && toPresignedRead(this.#readUrl(request), this.#agents);
  }

  async page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const query = { prefix, maxResults: '1000', ...(from === undefined ? {} : { pageToken: from }) };
    try {
      const url = this.#requests.url(undefined, query);
      const { kind, items = [], nextPageToken } = await this.#requests.json<GcsList>({ method: 'GET', url, signal });
      if (kind !== 'storage#objects')
        throw new BlobError('Unavailable', 'the backup store answered with something other than a listing');
      return { items: items.map(info), next: nextPageToken || undefined };
    } catch (error) {
      throw await this.#missing(error, signal);
    }
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    try {
      const url = this.#requests.url(key);
      const answer = await this.#requests.answer({ method: 'DELETE', url, signal }, 200, 204);
      const said = await textOf(answer);
      if (said.trim() !== '')
        throw new BlobError('Unavailable', `the backup store answered the deletion of ${key} with unexpected content`);
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

  /** The metadata of a stored object. */
  #described(name: string, mark: string) {
    const retention = retentionInput(this.#objectLock, this.#clock.now());
    return { name, contentType: octets, metadata: { [markName]: mark }, ...retention };
  }

  async #object(request: GcsRequest): Promise<GcsObject> {
    return parsedObject(await textOf(await this.#requests.answer(request, 200, 201)));
  }

  /**
   * Throws if the store reports another key than the requested one. The store reports a version of the key, whose name
   * begins with the name of the key.
   */
  #checkKey({ kmsKeyName: told }: GcsObject, key: string): void {
    const { kmsKeyName: asked } = this.#atRest;
    if (!asked || !told || `${told}/`.startsWith(`${asked}/`)) return;
    const message = `the backup store encrypts ${key} with the Cloud KMS key ${told.slice(0, 256)} instead of ${asked}. Correct kmsKeyName`;
    throw new BlobError('Configuration', message);
  }

  #explained(what: string): (error: unknown) => never {
    return (error) => {
      // When creating an object, only the bucket can be missing.
      if (!(error instanceof GcsAnswer) || error.status !== 404)
        explainRefusal(error, this.#objectLock, what, this.#redact);
      throw new BlobError('BucketMissing', `the bucket of ${this.location} does not exist`);
    };
  }

  /** Finds out what a 404 means: not every such answer says whether the object or the whole bucket is missing. */
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

/**
 * Compares the answer with what was sent. The store got the hash with the bytes, and should have refused different
 * bytes.
 */
function compared({ size, md5Hash, generation }: GcsObject, bytes: number, md5: string): Stored {
  const isOther = Number(size) !== bytes || (md5Hash !== undefined && md5Hash !== md5);
  return { etag: generation, checksum: isOther ? 'other' : md5Hash === undefined ? 'unknown' : 'same' };
}

function info({ name = '', size, updated, generation }: GcsObject): BlobInfo {
  return { key: name, bytes: Number(size ?? 0), modifiedAt: updated ? Date.parse(updated) : 0, etag: generation };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
