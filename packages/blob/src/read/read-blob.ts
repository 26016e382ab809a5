// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { ByteRange } from '../blob-store.ts';
import type { Attempts } from '../call/attempts.ts';
import type { StoreDriver } from '../store-driver.ts';
import type { AnsweredRange } from './content-range.ts';
import { failWhenSlow } from './fail-when-slow.ts';

/** After this many bytes without a fault, earlier faults no longer count. */
const soundBytes = 8 * 1024 * 1024;

/** The dependencies of a read. */
export interface ReadContext {
  readonly driver: Pick<StoreDriver<unknown>, 'read' | 'stat'>;
  readonly attempts: Attempts;
}

/** The state of a read: the bytes before `offset` have been delivered. */
interface Position {
  readonly key: string;
  offset: number;
  /** The remaining bytes; known at the latest when the store has answered. */
  length: number | undefined;
  etag: string | undefined;
  /** The length of the whole object; known when the store has answered. */
  total: number | undefined;
}

/**
 * Reads an object or a range of it. After a broken connection, it continues at the same byte of the same object. Ends
 * without an error only after exactly the requested bytes, as far as the object has them; an answer with other bytes is
 * an error.
 */
export async function* readBlob(
  context: ReadContext,
  key: string,
  range: ByteRange,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { driver, attempts } = context;
  const what = `reading ${key}`;
  if (range.length === 0) {
    await attempts.run({ what }, signal, (limited) => driver.stat(key, limited));
    return;
  }
  const position: Position = { key, offset: range.offset, length: range.length, etag: undefined, total: undefined };
  // If the reader stops early, the request must end too.
  const stop = new AbortController();
  const whole = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  try {
    for (let failures = 0; position.length !== 0; ) {
      const before = position.offset;
      const thrown = yield* readOn(context, position, whole, what);
      // A connection that breaks after the last byte, or while reading an empty object, is not an error.
      if (thrown === undefined || position.length === 0) return;
      failures = position.offset - before > soundBytes ? 1 : failures + 1;
      await attempts.pause(attempts.error(thrown.error, what, signal), failures, what, whole);
    }
  } finally {
    stop.abort();
  }
}

/** One request and its body. Returns the error that interrupted it, if any. */
async function* readOn(
  context: ReadContext,
  position: Position,
  signal: AbortSignal,
  what: string,
): AsyncGenerator<Uint8Array, { readonly error: unknown } | undefined, undefined> {
  try {
    yield* readOnce(context, position, signal, what);
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function* readOnce(
  { driver, attempts }: ReadContext,
  position: Position,
  signal: AbortSignal,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { key, offset, length, etag } = position;
  const request = { key, offset, length, etag };
  const response = await attempts.once({ what }, signal, (limited) => driver.read(request, limited));
  const range = await surely({ driver, attempts }, response.range, position, signal);
  const wrong = (problem: string) => new BlobError('Unavailable', `${what}: ${problem}`);
  if (range.start !== offset)
    throw wrong(`the backup store sent bytes from offset ${range.start} instead of ${offset}`);
  if (range.total !== (position.total ?? range.total))
    throw wrong(`the length of the object changed from ${position.total} to ${range.total} bytes while it was read`);
  if (etag !== undefined && response.etag !== undefined && response.etag !== etag)
    throw wrong('the object was replaced while it was read');
  const remaining = Math.max(0, range.total - offset);
  position.total = range.total;
  position.etag ??= response.etag;
  position.length = Math.min(length ?? remaining, remaining);
  if (position.length === 0) return;
  for await (const chunk of failWhenSlow(response.body, attempts.clock, attempts.pace, what)) {
    // A store without range support sends more than requested.
    const wanted = chunk.byteLength > position.length ? chunk.subarray(0, position.length) : chunk;
    position.offset += wanted.byteLength;
    position.length -= wanted.byteLength;
    yield wanted;
    if (position.length === 0) return;
  }
  throw wrong(`the content is incomplete: ${position.length} bytes are missing`);
}

/** The range of an answer. If the headers do not report it, the metadata of the object is read and compared. */
async function surely(
  { driver, attempts }: ReadContext,
  range: AnsweredRange | undefined,
  { key, offset, total }: Position,
  signal: AbortSignal,
): Promise<AnsweredRange> {
  if (range?.isTold) return range;
  const what = `reading ${key}`;
  const { bytes } = await attempts.once({ what }, signal, (limited) => driver.stat(key, limited));
  const wrong = (problem: string) =>
    new BlobError('Unavailable', `${what}: the object has ${bytes} bytes, but ${problem}`);
  if (range && range.total !== bytes) throw wrong(`the backup store sent ${range.total} bytes as its whole content`);
  // An empty answer at an offset is only correct at the end of the object.
  if (!range && offset < Math.max(bytes, total ?? 0))
    throw wrong(`the backup store says that there are none after offset ${offset}`);
  return range ?? { start: offset, total: bytes, isTold: true };
}
