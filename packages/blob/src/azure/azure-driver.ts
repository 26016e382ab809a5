// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { type Random, systemRandom } from '@etcd-operator/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo, LentRead } from '../blob-store.ts';
import type { Redact } from '../call/fault.ts';
import { interruptible } from '../call/interruptible.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { lentRead } from '../lend/lent-read.ts';
import type { LendRequest, ListPage, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte, usualPartBytes } from '../write/part-sizes.ts';
import { azureCode, azureError, azureStatus } from './azure-errors.ts';

export interface AzureDriverOptions {
  readonly container: ContainerClient;
  readonly agents: GuardedAgents;
  readonly location: string;
  readonly partBytes: number | undefined;
  /** Gives the query that lets others read a blob; undefined if there is no key to sign it with. */
  readonly readSas: ReadSas | undefined;
  readonly redact: Redact;
  readonly random?: Random;
}

export type ReadSas = (key: string, expiresOn: Date) => string;

/** Blocks that belong together. Azure knows nothing of an upload as such; blocks are told apart by their names. */
interface BlockUpload {
  readonly blob: BlockBlobClient;
  readonly mark: string;
  readonly numbers: Set<number>;
}

/**
 * Blobs of a container. Parts are blocks, which nobody sees until the list of blocks is committed.
 *
 * There is no way to take single blocks back that does not also touch the blob that is there; Azure itself drops those that belong to no
 * blob with the next write of the same key, and after a week at the latest.
 */
export class AzureDriver implements StoreDriver<BlockUpload> {
  readonly location: string;
  readonly limits: PartLimits;
  readonly #container: ContainerClient;
  readonly #agents: GuardedAgents;
  readonly #readSas: ReadSas | undefined;
  readonly #redact: Redact;
  readonly #random: Random;

  constructor(options: AzureDriverOptions) {
    const firstPartBytes = options.partBytes ?? usualPartBytes;
    this.limits = { firstPartBytes, maxParts: 50_000, maxPartBytes: 4000 * mebibyte, partsInFlight: 4 };
    this.location = options.location;
    this.#container = options.container;
    this.#agents = options.agents;
    this.#readSas = options.readSas;
    this.#redact = options.redact;
    this.#random = options.random ?? systemRandom;
  }

  async clear(): Promise<void> {}

  async whole(key: string, bytes: Buffer, abortSignal: AbortSignal): Promise<Stored> {
    const { etag } = await this.#blob(key).upload(bytes, bytes.byteLength, {
      abortSignal,
      blobHTTPHeaders: { blobContentMD5: md5(bytes) },
    });
    return { etag: bare(etag) };
  }

  async begin(key: string): Promise<BlockUpload> {
    return { blob: this.#blob(key), mark: this.#random.uuid(), numbers: new Set() };
  }

  async part({ blob, mark, numbers }: BlockUpload, { number, bytes }: Part, abortSignal: AbortSignal): Promise<void> {
    await blob.stageBlock(blockId(mark, number), bytes, bytes.byteLength, {
      abortSignal,
      transactionalContentMD5: md5(bytes),
    });
    numbers.add(number);
  }

  /** Made again, it finds the same blocks in the blob that it made: the outcome is the same. */
  async finish({ blob, mark, numbers }: BlockUpload, _summary: unknown, abortSignal: AbortSignal): Promise<Stored> {
    const ids = [...numbers].sort((a, b) => a - b).map((number) => blockId(mark, number));
    const { etag } = await blob.commitBlockList(ids, { abortSignal });
    return { etag: bare(etag) };
  }

  async abort(): Promise<void> {}

  async read(request: ReadRequest, abortSignal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length, etag } = request;
    try {
      const response = await this.#blob(key).download(offset, length, {
        abortSignal,
        maxRetryRequests: 0,
        conditions: etag === undefined ? {} : { ifMatch: `"${etag}"` },
      });
      const { readableStreamBody: body, contentLength: bytes } = response;
      if (!body || bytes === undefined) {
        throw new BlobError('Unknown', `the store sent ${key} without a length or a body`);
      }
      const chunks = body as NodeJS.ReadableStream & AsyncIterable<Buffer>;
      return { bytes, etag: bare(response.etag), body: interruptible(chunks, abortSignal) };
    } catch (error) {
      if (azureStatus(error) !== 416) throw error;
      return { bytes: 0, etag: undefined, body: nothing() };
    }
  }

  async stat(key: string, abortSignal: AbortSignal): Promise<BlobInfo> {
    const { contentLength = 0, lastModified, etag } = await this.#blob(key).getProperties({ abortSignal });
    return { key, bytes: contentLength, modifiedAt: lastModified?.getTime() ?? 0, etag: bare(etag) };
  }

  async lend({ key, now, seconds }: LendRequest): Promise<LentRead | undefined> {
    if (!this.#readSas) return undefined;
    const url = new URL(this.#blob(key).url);
    url.search = this.#readSas(key, new Date(now + seconds * 1000));
    return lentRead(url, this.#agents);
  }

  async page(prefix: string, from: string | undefined, abortSignal: AbortSignal): Promise<ListPage> {
    const pages = this.#container
      .listBlobsFlat({ prefix, abortSignal })
      .byPage({ maxPageSize: 1000, ...(from === undefined ? {} : { continuationToken: from }) });
    for await (const { segment, continuationToken } of pages) {
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
      await this.#blob(key).delete({ abortSignal, deleteSnapshots: 'include' });
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

  #blob(key: string): BlockBlobClient {
    return this.#container.getBlockBlobClient(key);
  }
}

/** All blocks of a blob must have names of the same length. */
function blockId(mark: string, number: number): string {
  return Buffer.from(`${mark}-${String(number).padStart(6, '0')}`).toString('base64');
}

/** Azure compares it with what arrives; the signature of a request does not cover its body. */
function md5(bytes: Uint8Array): Uint8Array {
  return createHash('md5').update(bytes).digest();
}

/** In lists ETags come without quotes, elsewhere with. */
function bare(etag: string | undefined): string | undefined {
  return etag?.replace(/^"|"$/g, '');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
