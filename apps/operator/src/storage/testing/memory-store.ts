// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  BlobError,
  type BlobErrorCode,
  type BlobInfo,
  type BlobStore,
  type BodySummary,
  type ByteRange,
  type Cleared,
  type PutOptions,
  type PutResult,
  type Settled,
} from '@operator-parts/blob';
import { type Manifest, manifestPath, renderManifest } from '../manifest.ts';

type Call = 'get' | 'stat' | 'put' | 'list' | 'delete' | 'clear';
interface Stored {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly mark: string | undefined;
}

/** A store without I/O, whose answers the test controls. */
export class MemoryStore implements BlobStore {
  readonly location = 'memory://test';
  readonly server = 'memory:';
  readonly objects = new Map<string, Stored>();
  readonly calls: string[] = [];
  /** The error code that a call is rejected with. */
  refuse: (call: Call, key: string) => BlobErrorCode | undefined = () => undefined;
  /** The result of aborting uploads. */
  clears: Cleared = 'cleared';
  /** False for a store like a directory, which identifies an object only by its ETag. */
  keepsMarks = true;
  /** Changes the bytes that reads return, instead of the stored ones. */
  garble: (key: string, bytes: Buffer) => Buffer = (_key, bytes) => bytes;
  #puts = 0;

  /** Stores an object for the test, not through the tested code. */
  seed(key: string, bytes: string | Uint8Array): void {
    this.#puts += 1;
    this.objects.set(key, { bytes: Buffer.from(bytes), etag: `seed ${this.#puts}`, mark: undefined });
  }

  /** Stores a complete backup: its bytes and a matching manifest. */
  seedBackup(key: string, bytes: string, made: Partial<Manifest>): void {
    this.seed(key, bytes);
    const [, date, time] = /_(\d{4}-\d\d-\d\d)-(\d\d:\d\d:\d\d)$/.exec(key) ?? [];
    const then = date === undefined ? {} : { time: `${date}T${time}Z` };
    this.seed(manifestPath(key), renderManifest({ ...manifestFor(bytes), ...then, ...made }));
  }

  get keys(): readonly string[] {
    return [...this.objects.keys()].toSorted();
  }

  checkKey(): void {}

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutResult> {
    this.#call('put', key);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const summary = summaryOf(bytes);
    await options.verify?.(summary);
    this.#puts += 1;
    const etag = `put ${this.#puts}`;
    this.objects.set(key, { bytes, etag, mark: this.keepsMarks ? options.mark : undefined });
    return { key, ...summary, parts: 1, etag, proof: 'checksum' };
  }

  async *get(key: string, range: ByteRange = { offset: 0 }): AsyncGenerator<Uint8Array> {
    this.#call('get', key);
    const bytes = this.garble(key, this.#object(key).bytes);
    yield bytes.subarray(range.offset, range.length === undefined ? undefined : range.offset + range.length);
  }

  async stat(key: string): Promise<BlobInfo> {
    this.#call('stat', key);
    const { bytes, etag, mark } = this.#object(key);
    return { key, bytes: bytes.byteLength, modifiedAt: 0, etag, mark };
  }

  async settle(key: string, expected: BodySummary): Promise<Settled> {
    this.#call('get', key);
    const found = this.objects.get(key);
    if (!found) return 'absent';
    const { bytes, sha256 } = summaryOf(found.bytes);
    return bytes === expected.bytes && sha256 === expected.sha256 ? 'stored' : 'different';
  }

  async *list(prefix: string): AsyncGenerator<BlobInfo> {
    this.#call('list', prefix);
    for (const key of this.keys.filter((name) => name.startsWith(prefix))) {
      const { bytes, etag } = this.#object(key);
      yield { key, bytes: bytes.byteLength, modifiedAt: 0, etag };
    }
  }

  async delete(key: string): Promise<void> {
    this.#call('delete', key);
    this.objects.delete(key);
  }

  async clear(key: string): Promise<Cleared> {
    this.#call('clear', key);
    return this.clears;
  }

  async presign(): Promise<undefined> {}

  async sweep(): Promise<number> {
    return 0;
  }

  close(): void {}

  #call(call: Call, key: string): void {
    this.calls.push(`${call} ${key}`);
    const code = this.refuse(call, key);
    if (code !== undefined) throw new BlobError(code, `${call} ${key}: ${code}`);
  }

  #object(key: string): Stored {
    const found = this.objects.get(key);
    if (!found) throw new BlobError('NotFound', `${key} is not there`);
    return found;
  }
}

/** An EtcdBackup of the namespace `ns`. */
export function madeBy(name: string, uid = `uid-${name}`): NonNullable<Manifest['backup']> {
  return { namespace: 'ns', name, uid };
}

export function manifestFor(bytes: string): Manifest {
  return {
    etcdVersion: '3.6.16',
    revision: 5,
    ...summaryOf(Buffer.from(bytes)),
    clusterId: 'abc',
    time: '2026-11-16T12:00:00Z',
  };
}

function summaryOf(bytes: Buffer): BodySummary {
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}
