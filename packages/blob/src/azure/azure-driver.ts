// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobDownloadResponseParsed, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import type { Clock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { Cleared, PresignedRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { ignoreErrors } from '../call/ignore-errors.ts';
import { beforeAbort, interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import type { ObjectLock } from '../object-lock.ts';
import { toPresignedRead } from '../presign/presigned-read.ts';
import { answeredRange } from '../read/content-range.ts';
import type { ListPage, ObjectFacts, PresignRequest, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte, usualPartBytes } from '../write/part-sizes.ts';
import { azureCode, azureError, azureStatus } from './azure-errors.ts';
import { confirmImmutable, explainRefusal, immutabilityInput } from './immutability.ts';

export interface AzureDriverOptions {
  readonly container: ContainerClient;
  readonly agents: GuardedAgents;
  readonly location: string;
  readonly server: string;
  readonly partBytes: number | undefined;
  readonly encryptionScope: string | undefined;
  readonly objectLock: ObjectLock | undefined;
  readonly clock: Clock;
  /** Creates the query of a shared access signature for a blob; undefined if there is no key to sign it with. */
  readonly readSas: ReadSas | undefined;
  readonly redact: Redact;
}

export type ReadSas = (key: string, expiresOn: Date) => string;

/** The blocks of one upload. Azure has no upload objects; the names of blocks tell uploads apart. */
interface BlockUpload {
  readonly blob: BlockBlobClient;
  readonly mark: string;
  /** The uploaded blocks, and whether the store returned their checksums. */
  readonly blocks: Map<number, boolean>;
}

/**
 * The length that is requested for a whole blob. Without a length the SDK requests no range, and only the answer to a
 * range contains the total length.
 */
const longestBlob = 2 ** 48;

/** Metadata names must be C# identifiers. */
const markName = 'etcd_operator_upload';

/**
 * Blobs of a container. Parts are blocks, which are invisible until the block list is committed.
 *
 * Single blocks cannot be removed without touching the existing blob; Azure drops uncommitted blocks with the next
 * write of the same key, and after a week at the latest.
 */
export class AzureDriver implements StoreDriver<BlockUpload> {
  readonly location: string;
  readonly server: string;
  readonly limits: PartLimits;
  readonly unlocked: AzureDriver | undefined;
  readonly #container: ContainerClient;
  readonly #agents: GuardedAgents;
  readonly #readSas: ReadSas | undefined;
  readonly #redact: Redact;
  /** The headers of each request that stores something. */
  readonly #atRest: { readonly encryptionScope?: string };
  readonly #objectLock: ObjectLock | undefined;
  readonly #clock: Clock;

  constructor(options: AzureDriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 50_000, maxPartBytes: 4000 * mebibyte, partsInFlight: 4 };
    this.location = options.location;
    this.server = options.server;
    this.#container = options.container;
    this.#agents = options.agents;
    this.#readSas = options.readSas;
    this.#redact = options.redact;
    this.#atRest = options.encryptionScope ? { encryptionScope: options.encryptionScope } : {};
    this.#objectLock = options.objectLock;
    this.#clock = options.clock;
    this.unlocked = options.objectLock && new AzureDriver({ ...options, objectLock: undefined });
  }

  async clear(): Promise<Cleared> {
    return 'cleared';
  }

  keyProblem(key: string): string | undefined {
    return key.split('/').length > 254 ? 'has more than 254 path components' : undefined;
  }

  async whole(key: string, bytes: Buffer, mark: string, abortSignal: AbortSignal): Promise<Stored> {
    const sum = md5(bytes);
    const uploading = this.#blob(key).upload(bytes, bytes.byteLength, {
      abortSignal,
      blobHTTPHeaders: { blobContentMD5: sum },
      metadata: { [markName]: mark },
      ...this.#kept(),
    });
    const { etag, contentMD5, encryptionScope } = await uploading.catch(this.#explained(`storing ${key}`));
    this.#checkScope(encryptionScope, key);
    return { etag: etagOf(etag, `storing ${key}`), checksum: compared(contentMD5, sum) };
  }

  async begin(key: string, mark: string): Promise<BlockUpload> {
    return { blob: this.#blob(key), mark, blocks: new Map() };
  }

  async part({ blob, mark, blocks }: BlockUpload, { number, bytes }: Part, abortSignal: AbortSignal): Promise<void> {
    const sum = md5(bytes);
    const { contentMD5, requestId } = await blob.stageBlock(blockId(mark, number), bytes, bytes.byteLength, {
      abortSignal,
      transactionalContentMD5: sum,
      ...this.#atRest,
    });
    if (!requestId) throw new BlobError('Unavailable', `the response to part ${number} did not come from Azure`);
    const checksum = compared(contentMD5, sum);
    if (checksum === 'other') {
      throw new BlobError(
        'ChecksumMismatch',
        `part ${number} of ${blob.name} in the backup store differs from the part that was sent`,
      );
    }
    blocks.set(number, checksum === 'same');
  }

  /** Idempotent: a repeated request finds its own blocks in the blob. */
  async finish({ blob, mark, blocks }: BlockUpload, _summary: unknown, abortSignal: AbortSignal): Promise<Stored> {
    const ids = [...blocks.keys()].sort((a, b) => a - b).map((number) => blockId(mark, number));
    const what = `finishing the upload to ${blob.name}`;
    const committing = blob.commitBlockList(ids, { abortSignal, metadata: { [markName]: mark }, ...this.#kept() });
    const { etag, encryptionScope } = await committing.catch(this.#explained(what));
    this.#checkScope(encryptionScope, blob.name);
    const isProven = [...blocks.values()].every((one) => one);
    return { etag: etagOf(etag, what), checksum: isProven ? 'same' : 'unknown' };
  }

  async abort(): Promise<void> {}

  async read(request: ReadRequest, abortSignal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    try {
      const response = await this.#blob(key).download(offset, length ?? longestBlob, {
        abortSignal,
        maxRetryRequests: 0,
        conditions: etag === undefined ? {} : { ifMatch: `"${etag}"` },
      });
      const { readableStreamBody: body } = response;
      if (!body) throw new BlobError('Unavailable', `the backup store answered without the content of ${key}`);
      const chunks = body as NodeJS.ReadableStream & AsyncIterable<Buffer>;
      const found = etagOf(response.etag, `reading ${key}`);
      return { range: rangeOf(response), etag: found, body: interruptible(chunks, abortSignal) };
    } catch (error) {
      if (azureStatus(error) !== 416) throw error;
      return { range: undefined, etag: undefined, body: nothing() };
    }
  }

  async stat(key: string, abortSignal: AbortSignal): Promise<ObjectFacts> {
    try {
      const found = await this.#blob(key).getProperties({ abortSignal });
      return facts(key, found.contentLength, found);
    } catch (error) {
      if (azureStatus(error) !== 403) throw error;
      return this.#peek(key, abortSignal, 1);
    }
  }

  async confirm(key: string, abortSignal: AbortSignal): Promise<void> {
    if (!this.#objectLock) return;
    await confirmImmutable(this.#blob(key), this.#objectLock, this.#clock.now(), abortSignal);
  }

  /** Gets the metadata from a read of the first bytes: some credentials may read a blob but not its properties. */
  async #peek(key: string, abortSignal: AbortSignal, length?: number): Promise<ObjectFacts> {
    try {
      const found = await this.#blob(key).download(0, length, { abortSignal, maxRetryRequests: 0 });
      if (found.readableStreamBody instanceof Readable) ignoreErrors(found.readableStreamBody).destroy();
      return facts(key, rangeOf(found)?.total ?? 0, found);
    } catch (error) {
      // An empty blob has no first byte to request.
      if (azureStatus(error) === 416 && length !== undefined) return this.#peek(key, abortSignal);
      throw error;
    }
  }

  async presign({ key, now, seconds }: PresignRequest): Promise<PresignedRead | undefined> {
    if (!this.#readSas) return undefined;
    const url = new URL(this.#blob(key).url);
    url.search = this.#readSas(key, new Date(now + seconds * 1000));
    return toPresignedRead(url, this.#agents);
  }

  async page(prefix: string, from: string | undefined, abortSignal: AbortSignal): Promise<ListPage> {
    const pages = this.#container
      .listBlobsFlat({ prefix, abortSignal })
      .byPage({ maxPageSize: 1000, ...(from === undefined ? {} : { continuationToken: from }) });
    // The SDK does not notice an abort while it receives an answer.
    for await (const { containerName, segment, continuationToken } of interruptible(pages, abortSignal)) {
      if (!containerName)
        throw new BlobError('Unavailable', 'the backup store answered with something other than a listing');
      const items = segment.blobItems.map(({ name, properties }) => ({
        key: name,
        bytes: properties.contentLength ?? 0,
        modifiedAt: properties.lastModified.getTime(),
        etag: bare(properties.etag),
      }));
      return { items, next: continuationToken || undefined };
    }
    return { items: [], next: undefined };
  }

  async remove(key: string, abortSignal: AbortSignal): Promise<void> {
    try {
      await beforeAbort(this.#blob(key).delete({ abortSignal, deleteSnapshots: 'include' }), abortSignal);
    } catch (error) {
      if (azureCode(error) !== 'BlobNotFound') throw error;
    }
  }

  async sweep(): Promise<number> {
    return 0;
  }

  close(): void {
    this.#agents.close();
  }

  errorOf(thrown: unknown, what: string): BlobError {
    return azureError(thrown, what, this.#redact);
  }

  /** Throws if the store reports another encryption scope than the requested one. */
  #checkScope(told: string | undefined, key: string): void {
    const { encryptionScope: asked } = this.#atRest;
    if (!asked || !told || told === asked) return;
    const message = `the backup store encrypts ${key} with the encryption scope ${told.slice(0, 256)} instead of ${asked}. Correct encryptionScope`;
    throw new BlobError('Configuration', message);
  }

  /** The headers of each request that creates a blob. */
  #kept() {
    return { ...this.#atRest, ...immutabilityInput(this.#objectLock, this.#clock.now()) };
  }

  #explained(what: string): (error: unknown) => never {
    return (error) => explainRefusal(error, this.#objectLock, what, this.#redact);
  }

  #blob(key: string): BlockBlobClient {
    return this.#container.getBlockBlobClient(key);
  }
}

/** All blocks of a blob must have names of the same length. */
function blockId(mark: string, number: number): string {
  return Buffer.from(`${mark}-${String(number).padStart(6, '0')}`).toString('base64');
}

/** The MD5 of a body. Azure compares it with the received bytes, which the signature of a request does not cover. */
function md5(bytes: Uint8Array): Uint8Array {
  return createHash('md5').update(bytes).digest();
}

function compared(told: Uint8Array | undefined, sum: Uint8Array): Stored['checksum'] {
  if (!told) return 'unknown';
  return Buffer.compare(told, sum) === 0 ? 'same' : 'other';
}

/** The ETag, which every answer of Azure about a blob has. An answer without it comes from something else. */
function etagOf(etag: string | undefined, what: string): string {
  const found = bare(etag);
  if (found) return found;
  throw new BlobError(
    'Unavailable',
    `${what}: the backup store answered without an ETag, so it is not certain that the data was stored`,
  );
}

interface Found {
  readonly lastModified?: Date;
  readonly etag?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

function facts(key: string, bytes: number | undefined, { lastModified, etag, metadata }: Found): ObjectFacts {
  if (bytes === undefined) throw new BlobError('Unavailable', `the backup store did not report the length of ${key}`);
  const modifiedAt = lastModified?.getTime() ?? 0;
  return { key, bytes, modifiedAt, etag: etagOf(etag, `reading the metadata of ${key}`), mark: metadata?.[markName] };
}

function rangeOf({ _response, contentRange, contentLength }: BlobDownloadResponseParsed) {
  return answeredRange({ status: _response.status, contentRange, contentLength });
}

/** Removes the quotes: ETags in lists have none, all others have. */
function bare(etag: string | undefined): string | undefined {
  return etag?.replace(/^"|"$/g, '');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
