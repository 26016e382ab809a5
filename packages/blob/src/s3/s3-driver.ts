// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import { type Random, systemRandom } from '@etcd-operator/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo, BodySummary, LentRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { lentRead } from '../lend/lent-read.ts';
import type { LendRequest, ListPage, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte, usualPartBytes } from '../write/part-sizes.ts';
import { presignedRead } from './presign.ts';
import { s3Code, s3Error, s3Status } from './s3-errors.ts';

/** The SDK's module, loaded when a store is opened. */
export type S3Sdk = typeof import('@aws-sdk/client-s3');

export interface S3DriverOptions {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly agents: GuardedAgents;
  readonly bucket: string;
  readonly location: string;
  readonly partBytes: number | undefined;
  readonly redact: Redact;
  readonly random?: Random;
}

/** A multipart upload. */
interface MultipartUpload {
  readonly key: string;
  readonly id: string;
  /** Kept with the object, so that it can be told whether an object is the one of this upload. */
  readonly mark: string;
  readonly etags: Map<number, string>;
}

const markName = 'etcd-operator-upload';

/** Objects of a bucket, over the SDK's client; one request a call, or two where one does not tell enough. */
export class S3Driver implements StoreDriver<MultipartUpload> {
  readonly location: string;
  readonly limits: PartLimits;
  readonly #sdk: S3Sdk;
  readonly #client: S3Client;
  readonly #agents: GuardedAgents;
  readonly #bucket: string;
  readonly #redact: Redact;
  readonly #random: Random;

  constructor(options: S3DriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 10_000, maxPartBytes: 4096 * mebibyte, partsInFlight: 4 };
    this.location = options.location;
    this.#sdk = options.sdk;
    this.#client = options.client;
    this.#agents = options.agents;
    this.#bucket = options.bucket;
    this.#redact = options.redact;
    this.#random = options.random ?? systemRandom;
  }

  async clear(key: string, abortSignal: AbortSignal): Promise<void> {
    try {
      for await (const upload of this.#uploads(key, abortSignal)) {
        if (upload.key === key) await this.#abort(key, upload.id, abortSignal);
      }
    } catch (error) {
      // Who may store may not always list uploads, and not every store can; then there is nothing to be done.
      if (!isRefusal(error)) throw error;
    }
  }

  async whole(key: string, bytes: Buffer, abortSignal: AbortSignal): Promise<Stored> {
    const input = { ...this.#object(key), Body: bytes, ContentLength: bytes.byteLength };
    const { ETag } = await this.#client.send(new this.#sdk.PutObjectCommand(input), { abortSignal });
    return { etag: ETag };
  }

  async begin(key: string, abortSignal: AbortSignal): Promise<MultipartUpload> {
    const mark = this.#random.uuid();
    const input = { ...this.#object(key), Metadata: { [markName]: mark } };
    const { UploadId } = await this.#client.send(new this.#sdk.CreateMultipartUploadCommand(input), { abortSignal });
    if (UploadId === undefined) throw new BlobError('Unknown', `the store began an upload to ${key} without naming it`);
    return { key, id: UploadId, mark, etags: new Map() };
  }

  async part(upload: MultipartUpload, { number, bytes }: Part, abortSignal: AbortSignal): Promise<void> {
    const input = { ...this.#upload(upload), PartNumber: number, Body: bytes, ContentLength: bytes.byteLength };
    const { ETag } = await this.#client.send(new this.#sdk.UploadPartCommand(input), { abortSignal });
    if (ETag === undefined) throw new BlobError('Unknown', `the store took part ${number} without giving it an ETag`);
    upload.etags.set(number, ETag);
  }

  async finish(upload: MultipartUpload, _summary: BodySummary, abortSignal: AbortSignal): Promise<Stored> {
    const parts = [...upload.etags].sort(([a], [b]) => a - b);
    const input = {
      ...this.#upload(upload),
      MultipartUpload: { Parts: parts.map(([PartNumber, ETag]) => ({ PartNumber, ETag })) },
    };
    try {
      const { ETag } = await this.#client.send(new this.#sdk.CompleteMultipartUploadCommand(input), { abortSignal });
      return { etag: ETag };
    } catch (error) {
      // An earlier try may have done it, with its answer lost: then the upload is gone and the object bears its mark.
      if (s3Code(error) !== 'NoSuchUpload') throw error;
      const head = new this.#sdk.HeadObjectCommand(this.#object(upload.key));
      const found = await this.#client.send(head, { abortSignal }).catch(() => undefined);
      if (found?.Metadata?.[markName] !== upload.mark) throw error;
      return { etag: found.ETag };
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
    // A part that was under way has arrived after the upload was aborted, and brought it back.
    throw new BlobError('Unavailable', `the upload to ${upload.key} is still there after it was aborted`);
  }

  async read(request: ReadRequest, abortSignal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    const end = length === undefined ? '' : offset + length - 1;
    const isRange = offset > 0 || length !== undefined;
    const input = {
      ...this.#object(key),
      ...(isRange ? { Range: `bytes=${offset}-${end}` } : {}),
      ...(etag === undefined ? {} : { IfMatch: etag }),
    };
    try {
      const response = await this.#client.send(new this.#sdk.GetObjectCommand(input), { abortSignal });
      const { Body: body, ContentLength: bytes, ContentRange, ETag } = response;
      if (isRange && ContentRange === undefined) throw new BlobError('Unknown', 'the store does not know ranges');
      if (!body || !(Symbol.asyncIterator in body) || bytes === undefined) {
        throw new BlobError('Unknown', `the store sent ${key} without a length or a body`);
      }
      const chunks = body as AsyncIterable<Uint8Array>;
      return { bytes, etag: ETag, body: interruptible(chunks, abortSignal) };
    } catch (error) {
      if (s3Status(error) !== 416) throw await this.#missing(error, abortSignal);
      return { bytes: 0, etag: undefined, body: nothing() };
    }
  }

  async stat(key: string, abortSignal: AbortSignal): Promise<BlobInfo> {
    try {
      const found = await this.#client.send(new this.#sdk.HeadObjectCommand(this.#object(key)), { abortSignal });
      return info(key, found.ContentLength, found.LastModified, found.ETag);
    } catch (error) {
      throw await this.#missing(error, abortSignal);
    }
  }

  async lend(request: LendRequest, abortSignal: AbortSignal): Promise<LentRead | undefined> {
    const command = new this.#sdk.GetObjectCommand(this.#object(request.key));
    const url = await presignedRead(this.#client, command, request, abortSignal);
    return url && lentRead(url, this.#agents);
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
    return { items, next: page.IsTruncated ? page.NextContinuationToken : undefined };
  }

  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    try {
      await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#object(key)), { abortSignal });
    } catch (error) {
      if (s3Code(error) !== 'NoSuchKey') throw error;
    }
  }

  async sweep(prefix: string, startedBefore: number, abortSignal: AbortSignal): Promise<number> {
    let swept = 0;
    for await (const { key, id, startedAt } of this.#uploads(prefix, abortSignal)) {
      if (startedAt >= startedBefore) continue;
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

  async *#uploads(prefix: string, abortSignal: AbortSignal) {
    const start = { Bucket: this.#bucket, Prefix: prefix, EncodingType: 'url' as const };
    for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
      const command = new this.#sdk.ListMultipartUploadsCommand({ ...start, ...marker });
      const page = await this.#client.send(command, { abortSignal });
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        yield { key: decoded(Key, page.EncodingType), id: UploadId, startedAt: Initiated?.getTime() ?? 0 };
      }
      if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker } = page;
      marker = { KeyMarker, ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }) };
    }
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
   * An answer to HEAD has no body, and so does not tell whether the object or the whole bucket is missing, or, with some servers,
   * whoever asks. A listing that fails says it.
   */
  async #missing(error: unknown, abortSignal: AbortSignal): Promise<unknown> {
    if (s3Status(error) !== 404 || s3Code(error) === 'NoSuchKey' || s3Code(error) === 'NoSuchBucket') return error;
    const list = new this.#sdk.ListObjectsV2Command({ Bucket: this.#bucket, MaxKeys: 1 });
    return this.#client.send(list, { abortSignal }).then(
      () => error,
      // Whoever may read objects need not be allowed to list them.
      (answer: unknown) => (s3Status(answer) === 404 ? answer : error),
    );
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  #upload({ key, id }: MultipartUpload): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { ...this.#object(key), UploadId: id };
  }
}

function info(key: string, bytes = 0, modified: Date | undefined, etag: string | undefined): BlobInfo {
  return { key, bytes, modifiedAt: modified?.getTime() ?? 0, etag };
}

/** Stores that were asked to encode keys say whether they did. */
function decoded(key: string, encoding: string | undefined): string {
  return encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;
}

/** Not allowed, or not known to this store. */
function isRefusal(error: unknown): boolean {
  const status = s3Status(error);
  return status === 403 || status === 405 || status === 501;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
