// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { BodySummary, Cleared } from '../blob-store.ts';
import type { ListPage, ObjectFacts, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';

export type Operation = 'clear' | 'whole' | 'begin' | 'part' | 'finish' | 'abort' | 'read' | 'stat' | 'page' | 'remove';

/** The fault of a call: an error before or after it takes effect. */
export interface CallFault {
  readonly when: 'before' | 'after';
  readonly error: Error;
}

interface MemoryUpload {
  readonly id: number;
  readonly key: string;
  readonly mark: string;
  readonly parts: Map<number, Buffer>;
}

/** A store without I/O, as strict as a real one about the order of calls and about buffers that must not change. */
export class MemoryDriver implements StoreDriver<MemoryUpload> {
  readonly location = 'memory://test';
  readonly server = 'memory:';
  readonly limits: PartLimits;
  readonly objects = new Map<string, Buffer>();
  readonly marks = new Map<string, string>();
  /** Whether it returns checksums. */
  checksum: Stored['checksum'] = 'same';
  readonly uploads = new Map<number, MemoryUpload>();
  readonly calls: Operation[] = [];
  /** Decides which calls fail. */
  callFault: (operation: Operation, nth: number) => CallFault | undefined = () => undefined;
  /** The duration of a call, in turns of the event loop, or any promise. */
  delay: (operation: Operation, signal: AbortSignal) => Promise<void> = async () => {};
  mostPartsInFlight = 0;
  biggestPart = 0;
  #partsInFlight = 0;
  #ids = 0;
  readonly #made = new Map<number, string>();
  /** The result of `clear`. */
  cleared: Cleared = 'cleared';

  constructor(limits: Partial<PartLimits> = {}) {
    this.limits = { firstPartBytes: 100, maxParts: 10_000, maxPartBytes: 1 << 20, partsInFlight: 3, ...limits };
  }

  clear(key: string, signal: AbortSignal): Promise<Cleared> {
    return this.#call('clear', signal, async () => {
      for (const [id, upload] of this.uploads) if (upload.key === key) this.uploads.delete(id);
      return this.cleared;
    });
  }

  keyProblem(): string | undefined {
    return undefined;
  }

  whole(key: string, bytes: Buffer, mark: string, signal: AbortSignal): Promise<Stored> {
    return this.#call('whole', signal, async () => {
      this.objects.set(key, Buffer.from(bytes));
      this.marks.set(key, mark);
      return { etag: 'whole', checksum: this.checksum };
    });
  }

  begin(key: string, mark: string, signal: AbortSignal): Promise<MemoryUpload> {
    return this.#call('begin', signal, async () => {
      this.#ids += 1;
      const upload = { id: this.#ids, key, mark, parts: new Map<number, Buffer>() };
      this.uploads.set(upload.id, upload);
      return upload;
    });
  }

  async part({ id }: MemoryUpload, { number, bytes }: Part, signal: AbortSignal): Promise<void> {
    this.#partsInFlight += 1;
    this.mostPartsInFlight = Math.max(this.mostPartsInFlight, this.#partsInFlight);
    this.biggestPart = Math.max(this.biggestPart, bytes.byteLength);
    const before = Buffer.from(bytes);
    try {
      await this.#call('part', signal, async () => {
        if (!before.equals(bytes)) throw new Error('the bytes of a part changed while it was being sent');
        const upload = this.uploads.get(id);
        if (!upload) throw new BlobError('NotFound', 'no such upload');
        upload.parts.set(number, before);
      });
    } finally {
      this.#partsInFlight -= 1;
    }
  }

  finish({ id, key }: MemoryUpload, summary: BodySummary, signal: AbortSignal): Promise<Stored> {
    return this.#call('finish', signal, async () => {
      const upload = this.uploads.get(id);
      if (!upload) {
        if (this.#made.has(id)) return { etag: this.#made.get(id), checksum: this.checksum };
        throw new BlobError('NotFound', 'no such upload');
      }
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
      const bytes = Buffer.concat(parts);
      if (bytes.byteLength !== summary.bytes) throw new Error('parts are missing');
      this.objects.set(key, bytes);
      this.marks.set(key, upload.mark);
      this.uploads.delete(id);
      this.#made.set(id, `upload ${id}`);
      return { etag: `upload ${id}`, checksum: this.checksum };
    });
  }

  abort({ id }: MemoryUpload, signal: AbortSignal): Promise<void> {
    return this.#call('abort', signal, async () => {
      this.uploads.delete(id);
    });
  }

  read({ key, offset, length }: ReadRequest, signal: AbortSignal): Promise<ReadResponse> {
    return this.#call('read', signal, async () => {
      const object = this.#object(key);
      const bytes = object.subarray(offset, length === undefined ? undefined : offset + length);
      return { range: { start: offset, total: object.byteLength, isTold: true }, etag: 'e', body: once(bytes) };
    });
  }

  stat(key: string, signal: AbortSignal): Promise<ObjectFacts> {
    return this.#call('stat', signal, async () => {
      const { byteLength: bytes } = this.#object(key);
      return { key, bytes, modifiedAt: 0, etag: 'e', mark: this.marks.get(key) };
    });
  }

  async presign(): Promise<undefined> {}

  /** Pages with two objects. */
  page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage> {
    return this.#call('page', signal, async () => {
      const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > (from ?? '')).sort();
      const items = keys.slice(0, 2).map((key) => ({ key, bytes: 0, modifiedAt: 0, etag: undefined }));
      return { items, next: keys.length > 2 ? keys[1] : undefined };
    });
  }

  remove(key: string, signal: AbortSignal): Promise<void> {
    return this.#call('remove', signal, async () => {
      this.objects.delete(key);
    });
  }

  async sweep(): Promise<number> {
    return 0;
  }

  close(): void {}

  errorOf(thrown: unknown, what: string): BlobError {
    return new BlobError('Unknown', `${what}: ${String(thrown)}`, { cause: thrown });
  }

  #object(key: string): Buffer {
    const object = this.objects.get(key);
    if (!object) throw new BlobError('NotFound', `${key} is not there`);
    return object;
  }

  async #call<T>(operation: Operation, signal: AbortSignal, effect: () => Promise<T>): Promise<T> {
    this.calls.push(operation);
    const callFault = this.callFault(operation, this.calls.filter((call) => call === operation).length);
    signal.throwIfAborted();
    await this.delay(operation, signal);
    signal.throwIfAborted();
    if (callFault?.when === 'before') throw callFault.error;
    const result = await effect();
    if (callFault) throw callFault.error;
    return result;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.byteLength > 0) yield bytes;
}
