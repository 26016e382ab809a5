// SPDX-License-Identifier: Apache-2.0
import { type Logger, type Random, silentLogger, systemRandom } from '@operator-parts/ports';
import { BlobError } from './blob-error.ts';
import type {
  BlobInfo,
  BlobStore,
  BodySummary,
  ByteRange,
  CallOptions,
  Cleared,
  GetOptions,
  PresignedRead,
  PresignOptions,
  PutOptions,
  PutResult,
  Settled,
  SettleOptions,
  SweepOptions,
} from './blob-store.ts';
import { Attempts, type StorePorts } from './call/attempts.ts';
import { beforeAbort } from './call/interruptible.ts';
import { listKeys } from './list/list-keys.ts';
import { checkKey, checkPrefix, refuseKey } from './object-key.ts';
import { hashChecked } from './read/hash-checked.ts';
import { readBlob } from './read/read-blob.ts';
import type { StoreDriver } from './store-driver.ts';
import { mebibyte } from './write/part-sizes.ts';
import { settled } from './write/prove.ts';
import { Put } from './write/put.ts';

/** The settings of a store of any kind. */
export interface StoreSettings extends StorePorts {
  /**
   * The memory limit for the buffers of one `put`: parts in progress and the part that is being filled. A single part
   * of a very long object may be bigger.
   * @default 24 MiB
   */
  readonly bufferBytes?: number;
}

const longestLoanSeconds = 12 * 3600;

/**
 * The store for callers, on top of any driver: validated keys, retries, time limits, uploads in parts, resumed reads.
 */
export function createStore<Upload>(driver: StoreDriver<Upload>, settings: StoreSettings = {}): BlobStore {
  return new DriverStore(driver, settings);
}

class DriverStore<Upload> implements BlobStore {
  readonly #driver: StoreDriver<Upload>;
  readonly #attempts: Attempts;
  readonly #logger: Logger;
  readonly #bufferBytes: number;
  readonly #random: Random;

  constructor(driver: StoreDriver<Upload>, settings: StoreSettings) {
    this.#driver = driver;
    this.#bufferBytes = settings.bufferBytes ?? 24 * mebibyte;
    this.#random = settings.random ?? systemRandom;
    this.#logger = (settings.logger ?? silentLogger).child({ store: driver.location });
    this.#attempts = new Attempts({ ...settings, logger: this.#logger }, (thrown, what) =>
      driver.errorOf(thrown, what),
    );
  }

  get location(): string {
    return this.#driver.location;
  }

  get server(): string {
    return this.#driver.server;
  }

  checkKey(key: string): void {
    const problem = this.#driver.keyProblem(checkKey(key));
    if (problem !== undefined) refuseKey(key, problem);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    this.checkKey(key);
    const context = {
      driver: (options.isUnlocked ? this.#driver.unlocked : undefined) ?? this.#driver,
      attempts: this.#attempts,
      logger: this.#logger,
      bufferBytes: this.#bufferBytes,
      mark: options.mark ?? this.#random.uuid(),
    };
    return new Put(context, key, options).run(body);
  }

  async *get(key: string, range: ByteRange = { offset: 0 }, options: GetOptions = {}): AsyncGenerator<Uint8Array> {
    const { offset, length = 0 } = range;
    if (!isCount(offset) || !isCount(length)) {
      throw new BlobError('Configuration', `invalid range: offset ${offset}, length ${range.length}`);
    }
    const context = { driver: this.#driver, attempts: this.#attempts };
    const body = readBlob(context, checkKey(key), range, options.signal);
    yield* options.sha256 === undefined ? body : hashChecked(body, options.sha256, `reading ${key}`);
  }

  async stat(key: string, options: CallOptions = {}): Promise<BlobInfo> {
    checkKey(key);
    return this.#attempts.run({ what: `reading the metadata of ${key}` }, options.signal, (signal) =>
      this.#driver.stat(key, signal),
    );
  }

  async settle(key: string, expected: BodySummary, options: SettleOptions = {}): Promise<Settled> {
    return settled({ driver: this.#driver, attempts: this.#attempts }, checkKey(key), expected, options);
  }

  async presign(key: string, options: PresignOptions): Promise<PresignedRead | undefined> {
    const { expiresIn: seconds, signal } = options;
    if (!isCount(seconds) || seconds === 0 || seconds > longestLoanSeconds) {
      throw new BlobError(
        'Configuration',
        `a presigned URL cannot be valid for ${seconds} s; use 1 to ${longestLoanSeconds} s`,
      );
    }
    const request = { key: checkKey(key), now: this.#attempts.clock.now(), seconds };
    // `beforeAbort`, because neither a resolver nor a credential provider can be aborted.
    return this.#attempts.run({ what: `creating a presigned URL for ${key}` }, signal, (limit) =>
      beforeAbort(this.#driver.presign(request, limit), limit),
    );
  }

  async *list(prefix: string, options: CallOptions = {}): AsyncGenerator<BlobInfo> {
    checkPrefix(prefix);
    const what = `listing ${prefix}*`;
    const page = (from: string | undefined) =>
      this.#attempts.run({ what }, options.signal, (signal) => this.#driver.page(prefix, from, signal));
    yield* listKeys({ prefix, isOrdered: this.#driver.listsInOrder ?? true, page });
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    await this.#attempts.run({ what: `deleting ${key}` }, options.signal, (signal) => this.#driver.remove(key, signal));
  }

  async sweep(prefix: string, startedBefore: number, options: SweepOptions = {}): Promise<number> {
    checkPrefix(prefix);
    const { isOwn = () => true } = options;
    const request = { prefix, startedBefore, isOwn };
    const what = `looking for unfinished uploads to ${prefix}*`;
    return this.#attempts.run({ what }, options.signal, (signal) => this.#driver.sweep(request, signal));
  }

  async clear(key: string, options: CallOptions = {}): Promise<Cleared> {
    checkKey(key);
    const what = `looking for unfinished uploads to ${key}`;
    return this.#attempts.run({ what }, options.signal, (signal) => this.#driver.clear(key, signal));
  }

  close(): void {
    this.#driver.close();
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
