// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, type StoreSettings } from '@operator-parts/blob';
import { createStore, MemoryDriver } from '@operator-parts/blob/testing';
import type { Clock, Random } from '@operator-parts/ports';
import type { ProcessClock } from './process-clock.ts';

export interface BackupStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every call that the operator makes, before it takes effect. */
  readonly onCall: (operation: string, key: string) => void;
}

type Driver = MemoryDriver;
type Page = Awaited<ReturnType<Driver['page']>>;
type Reading = Awaited<ReturnType<Driver['read']>>;
type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** What asks the store; everything else of a driver asks nobody. */
const calls: ReadonlySet<string | symbol> = new Set([
  'clear',
  'whole',
  'begin',
  'part',
  'finish',
  'abort',
  'read',
  'stat',
  'page',
  'remove',
  'sweep',
]);

/** A bucket somewhere: it outlives every process, answers after a while, and can be made to misbehave. */
export class BackupStore {
  readonly #options: BackupStoreOptions;
  readonly #driver = new MemoryDriver({ firstPartBytes: 16_384 });
  /** While it is down nobody gets an answer. */
  isDown = false;
  /** So many of the next calls fail; `after` means that they had their effect. */
  callFaults:
    | { readonly when: 'before' | 'after'; readonly code: 'Unavailable' | 'Throttled' | 'Denied'; left: number }
    | undefined;
  /** So many of the next reads end in the middle, as if that were all. */
  truncates = 0;
  /** Lists show what is older than this, in milliseconds. */
  listLag = 0;
  readonly #createdAt = new Map<string, number>();

  constructor(options: BackupStoreOptions) {
    this.#options = options;
  }

  get objects(): ReadonlyMap<string, Buffer> {
    return this.#driver.objects;
  }

  /** The store as a process sees it: whoever is dead asks nobody, and hears nothing. */
  open(settings: StoreSettings, process: ProcessClock): Promise<BlobStore> {
    const driver = new Proxy<Driver>(this.#driver, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call: Call = (...args) => Reflect.apply(value, target, args);
        return calls.has(name) ? (...args: unknown[]) => this.#ask(String(name), args, call, process) : call;
      },
    });
    return Promise.resolve(createStore(driver, settings));
  }

  /** Everything that went wrong is over. */
  mend(): void {
    Object.assign(this, { isDown: false, callFaults: undefined, truncates: 0, listLag: 0 });
  }

  async #ask(operation: string, args: readonly unknown[], call: Call, process: ProcessClock): Promise<unknown> {
    if (process.isDead) return new Promise(() => undefined);
    const key = typeof args[0] === 'string' ? args[0] : '';
    return process.deliver(this.#answer(operation, key, args, call));
  }

  /** What was sent takes effect whether or not somebody still waits for the answer. */
  async #answer(operation: string, key: string, args: readonly unknown[], call: Call): Promise<unknown> {
    const { clock, random, onCall } = this.#options;
    const signal = args.find((argument) => argument instanceof AbortSignal);
    await clock.sleep(5 + Math.floor(random.next() * 60));
    if (this.isDown) return aborted(signal);
    const { callFaults } = this;
    const fails = callFaults !== undefined && callFaults.left-- > 0;
    if (fails && callFaults.when === 'before') throw new BlobError(callFaults.code, 'the backup store refuses');
    signal?.throwIfAborted();
    onCall(operation, key);
    const result = this.#told(operation, await call(...args));
    if (fails) throw new BlobError('Unavailable', 'the connection broke', { outcomeUnknown: true });
    return result;
  }

  /** What comes of an answer on its way. */
  #told(operation: string, answer: unknown): unknown {
    const now = this.#options.clock.monotonic();
    for (const key of this.objects.keys()) if (!this.#createdAt.has(key)) this.#createdAt.set(key, now);
    if (operation === 'page' && isPage(answer)) {
      const shown = answer.items.filter(({ key }) => now - (this.#createdAt.get(key) ?? 0) >= this.listLag);
      return {
        ...answer,
        items: shown.map((item) => ({ ...item, bytes: this.objects.get(item.key)?.byteLength ?? 0 })),
      };
    }
    if (operation !== 'read' || this.truncates <= 0 || !isRead(answer)) return answer;
    this.truncates--;
    return { ...answer, body: halves(answer.body) };
  }
}

function isPage(answer: unknown): answer is Page {
  return typeof answer === 'object' && answer !== null && 'items' in answer;
}

function isRead(answer: unknown): answer is Reading {
  return typeof answer === 'object' && answer !== null && 'body' in answer;
}

/** Half of each piece. */
async function* halves(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of body) yield piece.subarray(0, piece.byteLength >> 1);
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'));
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
