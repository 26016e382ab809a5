// SPDX-License-Identifier: Apache-2.0

/** The newest entry of a key, in short form. */
export interface FoundKey {
  /** The key, one byte per character: texts of this form sort like etcd's keys. */
  readonly key: string;
  /** True: the newest entry is a deletion. */
  readonly isDeleted: boolean;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly lease: bigint;
  readonly valueBytes: number;
  /** The position of its record in the file. */
  readonly offset: number;
  readonly length: number;
}

/** Storage for runs that do not fit in memory: bytes are appended and read back at any position. */
export interface Spill {
  /** Resolves with the offset of the bytes. */
  append(bytes: Uint8Array): Promise<number>;
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface RunLimits {
  readonly keys: number;
  /** The size of all keys together. */
  readonly bytes: number;
}

/** About 40 MB of memory. */
const limitsByDefault: RunLimits = { keys: 100_000, bytes: 16 * 1024 * 1024 };

interface Run {
  readonly offset: number;
  readonly end: number;
}

const headBytes = 57;
const readBytes = 65_536;

/**
 * Sorts keys by merging sorted runs, in bounded memory: `add` takes entries in revision order, and `sorted` returns
 * each key once, with its newest entry, in key order. A small number of keys stays in memory.
 */
export class SortedRuns {
  readonly #spill: Spill;
  readonly #limits: RunLimits;
  readonly #runs: Run[] = [];
  #newest = new Map<string, FoundKey>();
  #bytes = 0;

  constructor(spill: Spill, limits: RunLimits = limitsByDefault) {
    this.#spill = spill;
    this.#limits = limits;
  }

  async add(found: FoundKey): Promise<void> {
    if (!this.#newest.has(found.key)) this.#bytes += found.key.length;
    this.#newest.set(found.key, found);
    if (this.#newest.size >= this.#limits.keys || this.#bytes >= this.#limits.bytes) await this.#writeRun();
  }

  async *sorted(): AsyncGenerator<FoundKey, void> {
    const last = this.#sortedNewest();
    const runs = [...this.#runs.map((run) => this.#readRun(run)), inMemory(last)];
    const heads = await Promise.all(runs.map((run) => run.next()));
    for (let lowest = lowestOf(heads); lowest !== undefined; lowest = lowestOf(heads)) {
      yield lowest;
      for (const [index, run] of runs.entries()) {
        if (heads[index]?.value?.key === lowest.key) heads[index] = await run.next();
      }
    }
  }

  #sortedNewest(): readonly FoundKey[] {
    return [...this.#newest.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #writeRun(): Promise<void> {
    const offset = await this.#spill.append(new Uint8Array(0));
    let end = offset;
    let batch: Uint8Array[] = [];
    let bytes = 0;
    const flush = async () => {
      await this.#spill.append(Buffer.concat(batch));
      end += bytes;
      batch = [];
      bytes = 0;
    };
    for (const found of this.#sortedNewest()) {
      const record = encode(found);
      batch.push(record);
      bytes += record.byteLength;
      if (bytes >= readBytes) await flush();
    }
    await flush();
    this.#runs.push({ offset, end });
    this.#newest = new Map();
    this.#bytes = 0;
  }

  async *#readRun({ offset, end }: Run): AsyncGenerator<FoundKey, void> {
    let next = offset;
    let buffer: Buffer = Buffer.alloc(0);
    for (;;) {
      const wanted = buffer.byteLength >= 4 ? headBytes + buffer.readUInt32LE(0) : headBytes;
      if (buffer.byteLength >= wanted) {
        yield decode(buffer.subarray(0, wanted));
        buffer = buffer.subarray(wanted);
        continue;
      }
      if (next >= end) return;
      const more = await this.#spill.read(next, Math.min(end - next, Math.max(readBytes, wanted)));
      next += more.byteLength;
      buffer = Buffer.concat([buffer, more]);
    }
  }
}

function lowestOf(heads: readonly IteratorResult<FoundKey, void>[]): FoundKey | undefined {
  let lowest: FoundKey | undefined;
  for (const { value } of heads) {
    // For the same key, the later run has the newer entry.
    if (value && (lowest === undefined || value.key <= lowest.key)) lowest = value;
  }
  return lowest;
}

async function* inMemory(found: readonly FoundKey[]): AsyncGenerator<FoundKey, void> {
  yield* found;
}

function encode(found: FoundKey): Buffer {
  const bytes = Buffer.alloc(headBytes + found.key.length);
  bytes.writeUInt32LE(found.key.length, 0);
  bytes.writeUInt8(found.isDeleted ? 1 : 0, 4);
  const numbers = [found.createRevision, found.modRevision, found.version, found.offset, found.valueBytes];
  for (const [index, number] of numbers.entries()) bytes.writeDoubleLE(number, 5 + 8 * index);
  bytes.writeBigInt64LE(found.lease, 45);
  bytes.writeUInt32LE(found.length, 53);
  bytes.write(found.key, headBytes, 'latin1');
  return bytes;
}

function decode(bytes: Buffer): FoundKey {
  const [createRevision = 0, modRevision = 0, version = 0, offset = 0, valueBytes = 0] = [0, 1, 2, 3, 4].map((index) =>
    bytes.readDoubleLE(5 + 8 * index),
  );
  const numbers = { createRevision, modRevision, version, offset, valueBytes };
  const isDeleted = bytes.readUInt8(4) === 1;
  const key = bytes.toString('latin1', headBytes);
  return { key, isDeleted, ...numbers, lease: bytes.readBigInt64LE(45), length: bytes.readUInt32LE(53) };
}
