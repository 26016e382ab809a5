// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import type { Logger } from '@operator-parts/ports';
import { BlobError, isBlobError } from '../blob-error.ts';
import type { BodySummary, PutOptions, PutResult } from '../blob-store.ts';
import type { Attempts, Request } from '../call/attempts.ts';
import { interruptible } from '../call/interruptible.ts';
import { assembleParts } from './assemble-parts.ts';
import { PartBuffers } from './part-buffers.ts';
import type { Part, PartDriver, Stored } from './part-driver.ts';
import { buffersAllowed, partBytes } from './part-sizes.ts';
import { PartsInFlight } from './parts-in-flight.ts';
import { confirm, isOurs, type ProveContext, prove, type Sent } from './prove.ts';

/** The dependencies of a `put`. */
export interface PutContext<Upload> extends ProveContext {
  readonly driver: PartDriver<Upload> & ProveContext['driver'];
  readonly attempts: Attempts;
  readonly logger: Logger;
  /** The memory limit for the buffers of one upload; a single part may be bigger. */
  readonly bufferBytes: number;
  /** Unique for each put. */
  readonly mark: string;
}

/** An object that the store was asked to make visible. */
interface Asked {
  readonly sent: Sent;
  readonly parts: number;
}

/**
 * The state of a put, as far as cleaning up needs it:
 *
 * - `reading` the first part; if the body ends there, it is stored as a whole and nothing needs cleaning up;
 * - `beginning`: the store was asked for an upload, and may have created it even if there was no answer;
 * - `uploading`: parts are sent while the next ones are filled;
 * - `finished`.
 */
type State<Upload> =
  | { readonly name: 'reading' | 'beginning' | 'finished' }
  | { readonly name: 'uploading'; readonly upload: Upload };

/** How long the clean-up after a failed put may take. */
interface Patience {
  /** How long parts in progress may take to end, before their connections are closed. */
  readonly graceMs: number;
  /** Cleaning up must not delay the caller longer than this. */
  readonly cleanUpMs: number;
}

const usualPatience: Patience = { graceMs: 5_000, cleanUpMs: 20_000 };

/** The caller of an aborted put must not wait long. Anything left is cleaned up later. */
const hurriedPatience: Patience = { graceMs: 500, cleanUpMs: 2_000 };

/**
 * A part whose connection broke may still reach the store. Some stores then recreate its upload, so the upload is
 * aborted again after this time.
 */
const stragglerMs = 1_000;

/**
 * Stores one body. When all parts have been sent and `verify` agrees, the upload is finished. If it fails in any state,
 * parts in progress are ended and the upload is aborted before the error is thrown.
 */
export class Put<Upload> {
  readonly #context: PutContext<Upload>;
  readonly #key: string;
  readonly #options: PutOptions;
  /** Undefined if the caller provides the hash. */
  readonly #hash: Hash | undefined;
  readonly #buffers = new PartBuffers();
  /** Aborted when something fails: nothing new is started. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  /** Aborted a little later: parts in progress are interrupted. */
  readonly #cut = new AbortController();
  readonly #inFlight: PartsInFlight;
  #state: State<Upload> = { name: 'reading' };
  #bytesRead = 0;
  #bytesStored = 0;
  #mayStraggle = false;
  /**
   * True if an answer to `begin` was lost: the store may have created that upload after the next attempt cleared the
   * key.
   */
  #mayHaveOthers = false;
  /** The object that the store was asked to make visible. Set while the outcome of that request is unknown. */
  #asked: Asked | undefined;

  constructor(context: PutContext<Upload>, key: string, options: PutOptions) {
    this.#context = context;
    this.#key = key;
    this.#options = options;
    const { signal, sha256 } = options;
    this.#hash = sha256 ? undefined : createHash('sha256');
    this.#signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    this.#inFlight = new PartsInFlight(context.driver.limits.partsInFlight, this.#signal, (error) =>
      this.#stop.abort(error),
    );
  }

  async run(body: AsyncIterable<Uint8Array>): Promise<PutResult> {
    try {
      return await this.#write(body);
    } catch (thrown) {
      const reason = this.#reason(thrown);
      this.#stop.abort(thrown);
      const patience = this.#options.signal?.aborted ? hurriedPatience : usualPatience;
      const grace = this.#context.attempts.clock.schedule(patience.graceMs, () => this.#cut.abort(thrown));
      await this.#inFlight.settled();
      grace.cancel();
      await this.#takeBack(patience);
      return this.#settled(reason);
    }
  }

  async #write(body: AsyncIterable<Uint8Array>): Promise<PutResult> {
    const parts = assembleParts(interruptible(body, this.#signal), {
      take: (number) => this.#takeBuffer(number),
      onBytes: (bytes) => {
        this.#hash?.update(bytes);
        this.#bytesRead += bytes.byteLength;
      },
    });
    for await (const part of parts) {
      if (part.isLast && part.number === 1) return this.#storeWhole(part);
      const upload = await this.#begun();
      await this.#inFlight.start(() => this.#send(upload, part));
      if (part.isLast) return this.#finish(upload, part.number);
    }
    throw new BlobError('Unknown', `${this.#what('storing')}: the body ended without a last part`);
  }

  #takeBuffer(number: number): Promise<Buffer> {
    const { driver, bufferBytes } = this.#context;
    const size = partBytes(driver.limits, number);
    return this.#buffers.take(size, buffersAllowed(driver.limits, size, bufferBytes), this.#signal);
  }

  async #storeWhole({ bytes }: Part): Promise<PutResult> {
    const summary = await this.#verified();
    const request = { what: this.#what('storing'), bytes: bytes.byteLength };
    const { driver, mark } = this.#context;
    const stored = await this.#visible(summary, 1, request, (signal) => driver.whole(this.#key, bytes, mark, signal));
    this.#bytesStored = summary.bytes;
    return stored;
  }

  /** The upload, created when the first part needs it. */
  async #begun(): Promise<Upload> {
    if (this.#state.name === 'uploading') return this.#state.upload;
    this.#state = { name: 'beginning' };
    const { attempts, driver, mark } = this.#context;
    const what = this.#what('beginning an upload to');
    // An attempt without an answer may have left an upload; the next attempt removes it.
    const upload = await attempts.run({ what }, this.#signal, async (signal) => {
      await driver.clear(this.#key, signal);
      try {
        return await driver.begin(this.#key, mark, signal);
      } catch (error) {
        this.#mayHaveOthers = true;
        throw error;
      }
    });
    this.#state = { name: 'uploading', upload };
    return upload;
  }

  async #send(upload: Upload, part: Part): Promise<void> {
    const { attempts, driver } = this.#context;
    const bytes = part.bytes.byteLength;
    const what = this.#what(`sending part ${part.number} of`);
    await attempts.run({ what, bytes }, this.#cut.signal, async (signal) => {
      this.#signal.throwIfAborted();
      try {
        await driver.part(upload, part, signal);
      } catch (error) {
        // After a permanent refusal, nothing of the part can reach the store later.
        this.#mayStraggle ||= attempts.error(error, what, undefined).retryable;
        throw error;
      }
    });
    this.#bytesStored += bytes;
    // The last buffer belongs to the driver until the upload is finished.
    if (!part.isLast) this.#buffers.release(part.bytes);
    this.#report();
  }

  async #finish(upload: Upload, parts: number): Promise<PutResult> {
    await this.#inFlight.drained();
    const summary = await this.#verified();
    const { driver } = this.#context;
    const request = { what: this.#what('finishing the upload to'), bytes: partBytes(driver.limits, parts) };
    return this.#visible(summary, parts, request, async (signal) => {
      const stored = await driver.finish(upload, summary, signal);
      this.#state = { name: 'finished' };
      return stored;
    });
  }

  /**
   * Sends the request that makes the object visible. After a refusal the object does not exist; after any other error
   * it may exist.
   */
  async #visible(
    summary: BodySummary,
    parts: number,
    request: Request,
    make: (signal: AbortSignal) => Promise<Stored>,
  ): Promise<PutResult> {
    const asked = { sent: { ...summary, key: this.#key, mark: this.#context.mark }, parts };
    this.#asked = asked;
    const stored = await this.#context.attempts.run(request, this.#signal, make).catch(mayBeThere);
    this.#asked = undefined;
    return this.#proven(asked, stored);
  }

  async #proven({ sent, parts }: Asked, stored: Stored): Promise<PutResult> {
    const { readBack = true, signal } = this.#options;
    const proof = await prove(this.#context, sent, stored, { readBack, signal }).catch(mayBeThere);
    // The object exists now. If this call fails, it is not known whether the object is locked: reading its content does
    // not show that.
    await confirm(this.#context, this.#key, signal);
    this.#bytesStored = sent.bytes;
    this.#report();
    if (this.#mayHaveOthers) await this.#endOthers();
    return { key: this.#key, bytes: sent.bytes, sha256: sent.sha256, parts, etag: stored.etag, proof };
  }

  async #endOthers(): Promise<void> {
    const { attempts, logger } = this.#context;
    const what = this.#what('looking for unfinished uploads to');
    try {
      await attempts.run({ what }, this.#options.signal, (signal) => this.#clear(signal));
    } catch (error) {
      logger.warn('unfinished uploads to this object could not be listed; the operator deletes them later', {
        key: this.#key,
        error,
      });
    }
  }

  /** Ends unfinished uploads to this key. Credentials that may store objects may not always list uploads. */
  async #clear(signal: AbortSignal): Promise<void> {
    const { driver, logger } = this.#context;
    if ((await driver.clear(this.#key, signal)) === 'cleared') return;
    logger.warn(
      'an unfinished upload to this object may be left: the backup store does not allow listing unfinished uploads',
      { key: this.#key },
    );
  }

  /** After a failure with an unknown outcome, the metadata usually shows whether the object was stored. */
  async #settled(reason: unknown): Promise<PutResult> {
    const asked = this.#asked;
    const { signal } = this.#options;
    if (!asked || !isBlobError(reason) || !reason.outcomeUnknown || signal?.aborted) throw reason;
    const { attempts, driver, mark } = this.#context;
    const found = await attempts
      .run({ what: this.#what('reading the metadata of') }, signal, (limited) => driver.stat(this.#key, limited))
      .catch((error: unknown) => {
        throw isBlobError(error, 'NotFound') ? withOutcome(reason, false) : reason;
      });
    const isThere = isOurs(found, mark, undefined);
    if (isThere === undefined) throw reason;
    if (!isThere) throw withOutcome(reason, false);
    return this.#proven(asked, { etag: found.etag, checksum: 'unknown' });
  }

  async #verified(): Promise<BodySummary> {
    const { sha256 = () => '', verify } = this.#options;
    const summary = { bytes: this.#bytesRead, sha256: this.#hash?.digest('hex') ?? sha256() };
    await verify?.(summary);
    this.#signal.throwIfAborted();
    return summary;
  }

  #report(): void {
    try {
      this.#options.onProgress?.({ bytesRead: this.#bytesRead, bytesStored: this.#bytesStored });
    } catch {
      // A failing observer must not affect the result.
    }
  }

  /** Cleans up with a separate signal, because the signal of the caller may have ended the upload. */
  async #takeBack({ cleanUpMs }: Patience): Promise<void> {
    const { attempts, driver, logger } = this.#context;
    const state = this.#state;
    if (state.name === 'reading' || state.name === 'finished') return;
    const over = new AbortController();
    const timer = attempts.clock.schedule(cleanUpMs, () => over.abort());
    try {
      const what = this.#what('aborting the upload to');
      const takeBack = (signal: AbortSignal) =>
        state.name === 'uploading' ? driver.abort(state.upload, signal) : this.#clear(signal);
      await attempts.run({ what }, over.signal, takeBack);
      if (!this.#mayStraggle) return;
      await attempts.clock.sleep(stragglerMs, over.signal);
      await attempts.run({ what }, over.signal, takeBack);
    } catch (error) {
      logger.warn('an unfinished upload could not be aborted; the operator aborts this upload later', {
        key: this.#key,
        error,
      });
    } finally {
      timer.cancel();
    }
  }

  /** The first error; errors of the body or of `verify` are unchanged. */
  #reason(thrown: unknown): unknown {
    const { signal } = this.#options;
    if (signal?.aborted && !isBlobError(thrown, 'Aborted')) {
      return this.#context.attempts.error(thrown, this.#what('storing'), signal);
    }
    return this.#inFlight.failure ?? thrown;
  }

  #what(doing: string): string {
    return `${doing} ${this.#key}`;
  }
}

/**
 * Throws the error of a request that would have made an object visible, or of checking it: the object may exist, unless
 * the request was refused.
 */
function mayBeThere(thrown: unknown): never {
  if (!isBlobError(thrown) || thrown.code === 'ChecksumMismatch') throw thrown;
  const isOpen = thrown.retryable || thrown.code === 'Aborted' || thrown.code === 'Unknown';
  throw isOpen ? withOutcome(thrown, true) : thrown;
}

function withOutcome({ code, message, retryable, cause }: BlobError, outcomeUnknown: boolean): BlobError {
  return new BlobError(code, message, { retryable, cause, outcomeUnknown });
}
