// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BodySummary, Cleared, PresignedRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { ignoreErrors } from '../call/ignore-errors.ts';
import { interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { toPresignedRead } from '../presign/presigned-read.ts';
import type {
  ListPage,
  ObjectFacts,
  PresignRequest,
  ReadRequest,
  ReadResponse,
  StoreDriver,
  SweepRequest,
} from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte, usualPartBytes } from '../write/part-sizes.ts';
import { atRestInput, checkEncrypted, checkLocked, type S3AtRest } from './at-rest.ts';
import { type Bucket, unfinishedUploads } from './list-uploads.ts';
import { comparedWhole, crc32Of, type PartSum } from './part-sums.ts';
import { presignedRead } from './presign.ts';
import { compared, decoded, etagOf, facts, info, isRefusal, isUnknownHeader, markName, rangeOf } from './s3-answers.ts';
import { s3Code, s3Error, s3Status } from './s3-errors.ts';

/** The SDK's module, loaded when a store is opened. */
export type S3Sdk = typeof import('@aws-sdk/client-s3');

export interface S3DriverOptions {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly agents: GuardedAgents;
  readonly bucket: string;
  readonly location: string;
  readonly server: string;
  readonly partBytes: number | undefined;
  /** @default 1024 */
  readonly maxKeyBytes?: number | undefined;
  readonly atRest: S3AtRest;
  readonly clock: Clock;
  readonly redact: Redact;
}

/** A multipart upload. */
interface MultipartUpload {
  readonly key: string;
  readonly id: string;
  /** Stored with the object, to tell whether an object belongs to this upload. */
  readonly mark: string;
  /** Whether the upload was created with part checksums. */
  readonly hasSums: boolean;
  readonly parts: Map<number, SentPart>;
}

interface SentPart extends PartSum {
  readonly etag: string;
}

/** Which checksums a store supports: for every part and the whole object, only for every part, or none. */
type Sums = 'whole' | 'parts' | 'none';

const weakerSums: Readonly<Record<Sums, Sums | undefined>> = { whole: 'parts', parts: 'none', none: undefined };

/** Objects of a bucket, through the SDK's client; one request per call, or two if one is not sufficient. */
export class S3Driver implements StoreDriver<MultipartUpload> {
  readonly location: string;
  readonly server: string;
  readonly limits: PartLimits;
  readonly listsInOrder: boolean;
  readonly unlocked: S3Driver | undefined;
  readonly #maxKeyBytes: number;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  readonly #agents: GuardedAgents;
  readonly #bucket: string;
  readonly #redact: Redact;
  readonly #atRest: S3AtRest;
  readonly #clock: Clock;
  /** Reduced as soon as the store has refused checksums. */
  #sums: Sums = 'whole';

  constructor(options: S3DriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 10_000, maxPartBytes: 4096 * mebibyte, partsInFlight: 4 };
    this.location = options.location;
    this.server = options.server;
    this.#maxKeyBytes = options.maxKeyBytes ?? 1024;
    this.#sdk = options.sdk;
    this.#client = options.client;
    this.#agents = options.agents;
    this.#bucket = options.bucket;
    this.#redact = options.redact;
    this.#atRest = options.atRest;
    this.#clock = options.clock;
    // Of S3's buckets, only directory buckets (single zone) list without an order.
    this.listsInOrder = !options.bucket.endsWith('--x-s3');
    const { encryption, objectLock } = options.atRest;
    this.unlocked = objectLock && new S3Driver({ ...options, atRest: { encryption } });
  }

  async clear(key: string, abortSignal: AbortSignal): Promise<Cleared> {
    try {
      for await (const upload of unfinishedUploads(this.#bucketOf, key, abortSignal)) {
        if (upload.key === key) await this.#abort(key, upload.id, abortSignal);
      }
      return 'cleared';
    } catch (error) {
      // Credentials that may store objects may not always list uploads, and not every store supports that.
      if (!isRefusal(error)) throw error;
      return 'refused';
    }
  }

  keyProblem(key: string): string | undefined {
    return Buffer.byteLength(key) > this.#maxKeyBytes ? `is longer than ${this.#maxKeyBytes} bytes` : undefined;
  }

  async whole(key: string, bytes: Buffer, mark: string, abortSignal: AbortSignal): Promise<Stored> {
    const sum = crc32Of(bytes);
    const input = { ...this.#newObject(key, mark), Body: bytes, ContentLength: bytes.byteLength };
    const answer = await this.#withSums((sums) => {
      const command = new this.#sdk.PutObjectCommand({ ...input, ...(sums !== 'none' && { ChecksumCRC32: sum }) });
      return this.#client.send(command, { abortSignal });
    });
    checkEncrypted(this.#atRest, answer, key);
    return { etag: etagOf(answer.ETag, `storing ${key}`), checksum: compared(answer.ChecksumCRC32, sum) };
  }

  async begin(key: string, mark: string, abortSignal: AbortSignal): Promise<MultipartUpload> {
    const input = this.#newObject(key, mark);
    return this.#withSums(async (sums) => {
      const hasSums = sums !== 'none';
      const command = new this.#sdk.CreateMultipartUploadCommand({
        ...input,
        ...(hasSums && { ChecksumAlgorithm: 'CRC32' as const }),
        ...(sums === 'whole' && { ChecksumType: 'FULL_OBJECT' as const }),
      });
      const { UploadId, ...answer } = await this.#client.send(command, { abortSignal });
      if (!UploadId)
        throw new BlobError('Unavailable', `the backup store began an upload to ${key} without returning an upload ID`);
      checkEncrypted(this.#atRest, answer, key);
      return { key, id: UploadId, mark, hasSums, parts: new Map() };
    });
  }

  async part(upload: MultipartUpload, { number, bytes }: Part, abortSignal: AbortSignal): Promise<void> {
    const sum = crc32Of(bytes);
    const command = new this.#sdk.UploadPartCommand({
      ...this.#upload(upload),
      PartNumber: number,
      Body: bytes,
      ContentLength: bytes.byteLength,
      ...(upload.hasSums && { ChecksumCRC32: sum }),
    });
    const answer = await this.#client.send(command, { abortSignal });
    const etag = etagOf(answer.ETag, `sending part ${number}`);
    if (compared(answer.ChecksumCRC32, sum) === 'other') {
      throw new BlobError(
        'ChecksumMismatch',
        `part ${number} of ${upload.key} in the backup store differs from the part that was sent`,
      );
    }
    upload.parts.set(number, { number, bytes: bytes.byteLength, sum, etag });
  }

  async finish(upload: MultipartUpload, _summary: BodySummary, abortSignal: AbortSignal): Promise<Stored> {
    const parts = [...upload.parts.values()].sort((a, b) => a.number - b.number);
    const Parts = parts.map(({ number, etag, sum }) => ({
      PartNumber: number,
      ETag: etag,
      ...(upload.hasSums && { ChecksumCRC32: sum }),
    }));
    const command = new this.#sdk.CompleteMultipartUploadCommand({
      ...this.#upload(upload),
      MultipartUpload: { Parts },
    });
    try {
      const { ETag, ChecksumCRC32 } = await this.#client.send(command, { abortSignal });
      const etag = etagOf(ETag, `finishing the upload to ${upload.key}`);
      return { etag, checksum: comparedWhole(ChecksumCRC32, parts) };
    } catch (error) {
      // An earlier attempt may have succeeded without an answer: then the upload is gone and the object has its mark.
      if (s3Code(error) !== 'NoSuchUpload') throw error;
      const found = await this.stat(upload.key, abortSignal).catch(() => undefined);
      if (found?.mark !== upload.mark) throw error;
      return { etag: found.etag, checksum: 'unknown' };
    }
  }

  async abort(upload: MultipartUpload, abortSignal: AbortSignal): Promise<void> {
    await this.#abort(upload.key, upload.id, abortSignal);
    try {
      await this.#client.send(new this.#sdk.ListPartsCommand(this.#upload(upload)), { abortSignal });
    } catch (error) {
      if (s3Code(error) === 'NoSuchUpload' || isRefusal(error)) return;
      throw error;
    }
    // A part that was still being sent arrived after the abort, and the store recreated the upload.
    throw new BlobError('Unavailable', `the upload to ${upload.key} still exists after it was aborted`);
  }

  async read(request: ReadRequest, abortSignal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    const end = length === undefined ? '' : offset + length - 1;
    const input = {
      ...this.#object(key),
      // A range is requested even for the whole object, because only the answer to a range contains the total length.
      Range: `bytes=${offset}-${end}`,
      ...(etag === undefined ? {} : { IfMatch: etag }),
    };
    try {
      const response = await this.#client.send(new this.#sdk.GetObjectCommand(input), { abortSignal });
      const { Body: body, ETag } = response;
      if (!body || !(Symbol.asyncIterator in body))
        throw new BlobError('Unavailable', `the backup store answered without the content of ${key}`);
      const chunks = interruptible(body as AsyncIterable<Uint8Array>, abortSignal);
      return { range: rangeOf(response), etag: etagOf(ETag, `reading ${key}`), body: chunks };
    } catch (error) {
      if (s3Status(error) !== 416) throw await this.#missing(error, abortSignal);
      return { range: undefined, etag: undefined, body: nothing() };
    }
  }

  async stat(key: string, abortSignal: AbortSignal): Promise<ObjectFacts> {
    try {
      const found = await this.#client.send(new this.#sdk.HeadObjectCommand(this.#object(key)), { abortSignal });
      return facts(key, found.ContentLength, found);
    } catch (error) {
      if (s3Status(error) !== 403) throw await this.#missing(error, abortSignal);
      return this.#peek(key, abortSignal);
    }
  }

  /** Throws unless the store shows the requested lock: some S3-compatible stores accept the request and ignore it. */
  async confirm(key: string, abortSignal: AbortSignal): Promise<void> {
    const { objectLock } = this.#atRest;
    if (!objectLock) return;
    const head = this.#client.send(new this.#sdk.HeadObjectCommand(this.#object(key)), { abortSignal });
    const told = await head.catch((error: unknown) => {
      if (s3Status(error) !== 403) throw error;
      return undefined;
    });
    checkLocked(objectLock, told, key, this.#clock.now());
  }

  /** Gets the metadata from a read of the first byte: some credentials may read an object but not its metadata. */
  async #peek(
    key: string,
    abortSignal: AbortSignal,
    range: { readonly Range?: string } = { Range: 'bytes=0-0' },
  ): Promise<ObjectFacts> {
    try {
      const found = await this.#client.send(new this.#sdk.GetObjectCommand({ ...this.#object(key), ...range }), {
        abortSignal,
      });
      if (found.Body && 'destroy' in found.Body) ignoreErrors(found.Body).destroy();
      return facts(key, rangeOf(found)?.total ?? 0, found);
    } catch (error) {
      // An empty object has no first byte to request.
      if (s3Status(error) === 416 && range.Range) return this.#peek(key, abortSignal, {});
      throw await this.#missing(error, abortSignal);
    }
  }

  async presign(request: PresignRequest, abortSignal: AbortSignal): Promise<PresignedRead | undefined> {
    const command = new this.#sdk.GetObjectCommand(this.#object(request.key));
    const url = await presignedRead(this.#client, command, request, abortSignal);
    return url && toPresignedRead(url, this.#agents);
  }

  async page(prefix: string, from: string | undefined, abortSignal: AbortSignal): Promise<ListPage> {
    const input = {
      Bucket: this.#bucket,
      Prefix: prefix,
      EncodingType: 'url' as const,
      ...(from === undefined ? {} : { ContinuationToken: from }),
    };
    const page = await this.#client.send(new this.#sdk.ListObjectsV2Command(input), { abortSignal });
    const items = (page.Contents ?? []).map(({ Key = '', Size, LastModified, ETag }) =>
      info(decoded(Key, page.EncodingType), Size, LastModified, ETag),
    );
    if (page.IsTruncated === undefined)
      throw new BlobError('Unavailable', 'the backup store answered with something other than a listing');
    if (page.IsTruncated && !page.NextContinuationToken) {
      throw new BlobError(
        'BadListing',
        `the listing of ${prefix}* is incomplete: the backup store did not return a continuation token`,
      );
    }
    return { items, next: page.IsTruncated ? page.NextContinuationToken : undefined };
  }

  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    try {
      const command = new this.#sdk.DeleteObjectCommand(this.#object(key));
      const { $metadata } = await this.#client.send(command, { abortSignal });
      if ($metadata.httpStatusCode === 204) return;
      // Some stores confirm a deletion with another status, so the object is looked up.
      await this.stat(key, abortSignal);
      throw new BlobError(
        'Unavailable',
        `the backup store confirmed the deletion of ${key}, but the object still exists`,
      );
    } catch (error) {
      // `NotFound` is the SDK's error for an answer to HEAD.
      if (s3Code(error) !== 'NoSuchKey' && s3Code(error) !== 'NotFound') throw error;
    }
  }

  async sweep({ prefix, startedBefore, isOwn }: SweepRequest, abortSignal: AbortSignal): Promise<number> {
    let swept = 0;
    for await (const { key, id, startedAt } of unfinishedUploads(this.#bucketOf, prefix, abortSignal)) {
      if (startedAt >= startedBefore || !isOwn(key)) continue;
      await this.#abort(key, id, abortSignal);
      swept += 1;
    }
    return swept;
  }

  close(): void {
    this.#client.destroy();
    this.#agents.close();
  }

  errorOf(thrown: unknown, what: string): BlobError {
    return s3Error(thrown, what, this.#redact);
  }

  async #abort(key: string, id: string, abortSignal: AbortSignal): Promise<void> {
    try {
      const input = { ...this.#object(key), UploadId: id };
      await this.#client.send(new this.#sdk.AbortMultipartUploadCommand(input), { abortSignal });
    } catch (error) {
      if (s3Code(error) !== 'NoSuchUpload') throw error;
    }
  }

  /**
   * Finds out what a 404 means. An answer to HEAD has no body, so it does not say whether the object or the whole
   * bucket is missing or, with some servers, whether the credentials are wrong. The error of a listing says it.
   */
  async #missing(error: unknown, abortSignal: AbortSignal): Promise<unknown> {
    if (s3Status(error) !== 404 || s3Code(error) === 'NoSuchKey' || s3Code(error) === 'NoSuchBucket') return error;
    const list = new this.#sdk.ListObjectsV2Command({ Bucket: this.#bucket, MaxKeys: 1 });
    return this.#client.send(list, { abortSignal }).then(
      () => error,
      // Credentials that may read objects cannot always list them.
      (answer: unknown) => (s3Status(answer) === 404 ? answer : error),
    );
  }

  /**
   * Sends a request with checksums. If the store refuses that, sends it with fewer, and remembers what the store
   * accepted.
   */
  async #withSums<T>(send: (sums: Sums) => Promise<T>): Promise<T> {
    for (let sums: Sums = this.#sums; ; ) {
      try {
        const answer = await send(sums);
        this.#sums = sums;
        return answer;
      } catch (error) {
        const weaker: Sums | undefined = weakerSums[sums];
        if (!weaker || !isUnknownHeader(error)) throw error;
        sums = weaker;
      }
    }
  }

  get #bucketOf(): Bucket {
    return { sdk: this.#sdk, client: this.#client, bucket: this.#bucket, listsInOrder: this.listsInOrder };
  }

  #newObject(key: string, mark: string) {
    return { ...this.#object(key), Metadata: { [markName]: mark }, ...atRestInput(this.#atRest, this.#clock.now()) };
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  #upload({ key, id }: MultipartUpload): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { ...this.#object(key), UploadId: id };
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
