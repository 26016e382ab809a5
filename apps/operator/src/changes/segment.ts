// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import { decodeEvents, encodeEvents } from '@operator-parts/etcd';
import { ByteQueue } from './byte-queue.ts';
import { ChangesError } from './changes-error.ts';
import type { RevisionChanges } from './revision-changes.ts';
import {
  parseHeader,
  renderHeader,
  type SegmentBefore,
  type SegmentHeader,
  type UnrecordedRevisions,
} from './segment-header.ts';

/**
 * The format of a change segment (a stored object with recorded changes) is, in this order:
 *
 * - `ETCDCHG1`,
 * - the length of the header in 4 bytes, and the header, as JSON (`segment-header.ts`),
 * - for each revision from the first to the last: when it was received in 6 bytes, the length of its events in 4 bytes, and its events in
 *   etcd's own protobuf encoding,
 * - SHA-256 of all of this.
 *
 * Numbers are big-endian. The segments of an encrypted backup are encrypted like the backup; this is the format before encryption.
 */
const magic = Buffer.from('ETCDCHG1');
const digestBytes = 32;
const frameBytes = 10;

/** Longer than a header with some hundred thousand leases. */
const longestHeader = 16 * 1024 * 1024;

/** The largest size of a revision. Both the recording and a restore hold a whole revision in memory. */
export const longestRevision = 32 * 1024 * 1024;

/** A segment that can be stored. */
export interface SealedSegment {
  readonly header: SegmentHeader;
  /** The content of the segment, in pieces. */
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  /** The value that the header of the next segment refers to. */
  readonly history: string;
}

/** Collects and encodes revisions until they are sealed. Throws `OutOfOrder` for a revision that is not the next one. */
export class SegmentBuilder {
  readonly #frames: Uint8Array[] = [];
  readonly #history = createHash('sha256');
  readonly #from: bigint;
  #next: bigint;
  #bytes = 0;
  #firstAt = 0;
  #lastAt = 0;

  /** @param from the first revision of the segment */
  constructor(from: bigint) {
    this.#from = from;
    this.#next = from;
  }

  get from(): bigint {
    return this.#from;
  }

  /** Size of all revisions so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The revision that must be added next. */
  get next(): bigint {
    return this.#next;
  }

  get isEmpty(): boolean {
    return this.#next === this.#from;
  }

  add({ revision, at, events }: RevisionChanges): void {
    checkRevision(revision, this.#next, events);
    const encoded = encodeEvents(events);
    if (encoded.byteLength > longestRevision) throw tooLarge(revision);
    if (this.isEmpty) this.#firstAt = at;
    // If the clock is set back, the times in a segment must not decrease.
    this.#lastAt = Math.max(at, this.#lastAt);
    const frame = Buffer.alloc(frameBytes);
    frame.writeUIntBE(this.#lastAt, 0, 6);
    frame.writeUInt32BE(encoded.byteLength, 6);
    note(this.#history, encoded);
    this.#frames.push(frame, encoded);
    this.#bytes += frame.byteLength + encoded.byteLength;
    this.#next += 1n;
  }

  seal(about: {
    readonly clusterId: string;
    readonly before: SegmentBefore;
    readonly leases: ReadonlyMap<bigint, number>;
    readonly late?: UnrecordedRevisions | undefined;
  }): SealedSegment {
    if (this.isEmpty)
      throw new TypeError(`the change segment of the continuous backup that begins at revision ${this.#from} is empty`);
    const times = { firstAt: this.#firstAt, lastAt: this.#lastAt };
    const header = { ...about, from: this.#from, to: this.#next - 1n, ...times };
    const rendered = renderHeader(header);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(rendered.byteLength);
    const pieces = [magic, length, rendered, ...this.#frames];
    const whole = createHash('sha256');
    for (const piece of pieces) whole.update(piece);
    const all = [...pieces, whole.digest()];
    const bytes = all.reduce((sum, piece) => sum + piece.byteLength, 0);
    return { header, pieces: all, bytes, history: this.#history.digest('hex') };
  }
}

/** A segment that is being decoded. */
export interface DecodedSegment {
  readonly header: SegmentHeader;
  /**
   * The revisions of the segment, in order. They are valid only after the last one was read without an error, because the digest is at the
   * end.
   */
  readonly revisions: AsyncGenerator<RevisionChanges, void, undefined>;
  /**
   * SHA-256 of the changes without their times, so that every operator that received the same changes computes the same value. Known when
   * `revisions` has ended.
   */
  readonly history: () => string;
  /** Stops reading. Must be called if `revisions` is never read. */
  close(): Promise<void>;
}

/**
 * Decodes a segment piece by piece, with one revision and one piece in memory. Rejects with a `ChangesError` if it is damaged, truncated,
 * out of order or not a segment.
 */
export async function decodeSegment(body: AsyncIterable<Uint8Array>): Promise<DecodedSegment> {
  const source = new HashedSource(body);
  let header: SegmentHeader;
  try {
    header = await readHeader(source);
  } catch (error) {
    await source.queue.close();
    throw error;
  }
  const history = createHash('sha256');
  let digest: string | undefined;
  const revisions = async function* () {
    try {
      yield* readRevisions(source, header, history);
      await checkEnd(source, header);
      digest = history.digest('hex');
    } finally {
      await source.queue.close();
    }
  };
  return {
    header,
    revisions: revisions(),
    history: () => {
      if (digest === undefined)
        throw new TypeError(
          'the reading of the change segment of the continuous backup is not finished. This is a defect of the operator',
        );
      return digest;
    },
    close: () => source.queue.close(),
  };
}

class HashedSource {
  readonly queue: ByteQueue;
  readonly #whole = createHash('sha256');

  constructor(body: AsyncIterable<Uint8Array>) {
    this.queue = new ByteQueue(body);
  }

  /** Digest of all bytes that were taken so far. */
  get digest(): Buffer {
    return this.#whole.copy().digest();
  }

  /** @param what what these bytes are, for the error message if they are missing */
  async take(length: number, what: string): Promise<Buffer> {
    const bytes = await this.queue.take(length);
    if (bytes.byteLength < length)
      throw new ChangesError(
        'Incomplete',
        `the change segment of the continuous backup is incomplete: ${what} is missing or cut off`,
      );
    this.#whole.update(bytes);
    return bytes;
  }
}

async function readHeader(source: HashedSource): Promise<SegmentHeader> {
  if (!magic.equals(await source.take(magic.byteLength, 'its beginning')))
    throw new ChangesError('UnknownFormat', 'the object is not a change segment of the continuous backup');
  const length = (await source.take(4, 'its header')).readUInt32BE();
  if (length > longestHeader)
    throw new ChangesError('Damaged', 'the header of the change segment of the continuous backup is damaged');
  return parseHeader(await source.take(length, 'its header'));
}

async function* readRevisions(
  source: HashedSource,
  header: SegmentHeader,
  history: Hash,
): AsyncGenerator<RevisionChanges, void, undefined> {
  let lastAt = header.firstAt;
  for (let revision = header.from; revision <= header.to; revision += 1n) {
    const frame = await source.take(frameBytes, `revision ${revision}`);
    const [at, length] = [frame.readUIntBE(0, 6), frame.readUInt32BE(6)];
    if (length > longestRevision || at < lastAt || at > header.lastAt) throw damaged(header);
    lastAt = at;
    const encoded = await source.take(length, `revision ${revision}`);
    note(history, encoded);
    yield { revision, at, events: eventsOf(encoded, revision, header) };
  }
}

async function checkEnd(source: HashedSource, header: SegmentHeader): Promise<void> {
  const expected = source.digest;
  if (!expected.equals(await source.take(digestBytes, 'its digest'))) throw damaged(header);
  if ((await source.queue.take(1)).byteLength > 0) throw damaged(header);
}

function eventsOf(encoded: Uint8Array, revision: bigint, header: SegmentHeader): RevisionChanges['events'] {
  let events: RevisionChanges['events'];
  try {
    events = decodeEvents(encoded);
  } catch (error) {
    throw damaged(header, error);
  }
  checkRevision(revision, revision, events);
  return events;
}

function checkRevision(revision: bigint, expected: bigint, events: RevisionChanges['events']): void {
  if (revision !== expected)
    throw new ChangesError(
      'OutOfOrder',
      `the change segment of the continuous backup has revision ${revision}, but revision ${expected} was expected next`,
    );
  const isOwn = events.length > 0 && events.every(({ kv }) => kv.modRevision === revision);
  if (!isOwn)
    throw new ChangesError(
      'OutOfOrder',
      `in the change segment of the continuous backup, revision ${revision} has no changes, or changes of another revision`,
    );
}

function note(history: Hash, encoded: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(encoded.byteLength);
  history.update(length).update(encoded);
}

export function tooLarge(revision: bigint): ChangesError {
  const limit = `${longestRevision / 1024 / 1024} MiB`;
  return new ChangesError(
    'TooLarge',
    `the changes of revision ${revision} exceed ${limit}; the continuous backup cannot record these changes`,
  );
}

function damaged({ from, to }: SegmentHeader, cause?: unknown): ChangesError {
  return new ChangesError(
    'Damaged',
    `the change segment of the continuous backup from revision ${from} to ${to} is damaged`,
    { cause },
  );
}
