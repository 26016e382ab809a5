// SPDX-License-Identifier: Apache-2.0
import { type Logger, silentLogger } from '@etcd-operator/ports';
import { BlobError } from './blob-error.ts';
import type {
  BlobInfo,
  BlobStore,
  ByteRange,
  CallOptions,
  LendOptions,
  LentRead,
  PutOptions,
  PutResult,
} from './blob-store.ts';
import { Attempts, type StorePorts } from './call/attempts.ts';
import { beforeAbort } from './call/interruptible.ts';
import { checkKey, checkPrefix } from './object-key.ts';
import { readBlob } from './read/read-blob.ts';
import type { StoreDriver } from './store-driver.ts';
import { mebibyte } from './write/part-sizes.ts';
import { Put } from './write/put.ts';

/** How a store works, whatever its kind. */
export interface StoreSettings extends StorePorts {
  /**
   * What the buffers of one `put` may take together: parts under way and the one that is being filled. A single part of a very long
   * object may be bigger. @default 24 MiB
   */
  readonly bufferBytes?: number;
}

const longestLoanSeconds = 12 * 3600;

/** The store that callers see, on top of any driver: checked keys, retries, time limits, uploads in parts, reads that go on. */
export function createStore<Upload>(driver: StoreDriver<Upload>, settings: StoreSettings = {}): BlobStore {
  return new DriverStore(driver, settings);
}

class DriverStore<Upload> implements BlobStore {
  readonly #driver: StoreDriver<Upload>;
  readonly #attempts: Attempts;
  readonly #logger: Logger;
  readonly #bufferBytes: number;

  constructor(driver: StoreDriver<Upload>, settings: StoreSettings) {
    this.#driver = driver;
    this.#bufferBytes = settings.bufferBytes ?? 24 * mebibyte;
    this.#logger = (settings.logger ?? silentLogger).child({ store: driver.location });
    this.#attempts = new Attempts({ ...settings, logger: this.#logger }, (thrown, what) =>
      driver.errorOf(thrown, what),
    );
  }

  get location(): string {
    return this.#driver.location;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    const context = {
      driver: this.#driver,
      attempts: this.#attempts,
      logger: this.#logger,
      bufferBytes: this.#bufferBytes,
    };
    return new Put(context, checkKey(key), options).run(body);
  }

  async *get(key: string, range: ByteRange = { offset: 0 }, options: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const { offset, length = 0 } = range;
    if (!isCount(offset) || !isCount(length)) {
      throw new BlobError('Configuration', `a range from ${offset} of ${range.length} bytes is none`);
    }
    const context = { driver: this.#driver, attempts: this.#attempts };
    yield* readBlob(context, checkKey(key), range, options.signal);
  }

  async stat(key: string, options: CallOptions = {}): Promise<BlobInfo> {
    checkKey(key);
    return this.#attempts.run({ what: `looking at ${key}` }, options.signal, (signal) =>
      this.#driver.stat(key, signal),
    );
  }

  async lend(key: string, options: LendOptions): Promise<LentRead | undefined> {
    const { expiresIn: seconds, signal } = options;
    if (!isCount(seconds) || seconds === 0 || seconds > longestLoanSeconds) {
      throw new BlobError('Configuration', `a read is not lent for ${seconds} s: 1 to ${longestLoanSeconds} it may be`);
    }
    const request = { key: checkKey(key), now: this.#attempts.clock.now(), seconds };
    // Neither a resolver nor a source of credentials can be told to stop.
    return this.#attempts.run({ what: `lending a read of ${key}` }, signal, (limit) =>
      beforeAbort(this.#driver.lend(request, limit), limit),
    );
  }

  async *list(prefix: string, options: CallOptions = {}): AsyncGenerator<BlobInfo> {
    checkPrefix(prefix);
    const what = `listing ${prefix}*`;
    for (let from: string | undefined; ; ) {
      const page = await this.#attempts.run({ what }, options.signal, (signal) =>
        this.#driver.page(prefix, from, signal),
      );
      yield* page.items;
      if (page.next === undefined) return;
      from = page.next;
    }
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    await this.#attempts.run({ what: `deleting ${key}` }, options.signal, (signal) => this.#driver.remove(key, signal));
  }

  async sweep(prefix: string, startedBefore: number, options: CallOptions = {}): Promise<number> {
    checkPrefix(prefix);
    const what = `looking for unfinished uploads to ${prefix}*`;
    return this.#attempts.run({ what }, options.signal, (signal) => this.#driver.sweep(prefix, startedBefore, signal));
  }

  async clear(key: string, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    const what = `looking for unfinished uploads to ${key}`;
    await this.#attempts.run({ what }, options.signal, (signal) => this.#driver.clear(key, signal));
  }

  close(): void {
    this.#driver.close();
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
