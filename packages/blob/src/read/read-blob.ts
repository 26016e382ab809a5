// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { ByteRange } from '../blob-store.ts';
import type { Attempts } from '../call/attempts.ts';
import type { StoreDriver } from '../store-driver.ts';
import { silenceEnds } from './silence-ends.ts';

/** So many bytes without a fault, and earlier faults no longer count. */
const soundBytes = 8 * 1024 * 1024;

/** What a read works with. */
export interface ReadContext {
  readonly driver: Pick<StoreDriver<unknown>, 'read' | 'stat'>;
  readonly attempts: Attempts;
}

/** Where a read stands: the bytes before `offset` have been handed out. */
interface Position {
  readonly key: string;
  offset: number;
  /** What is still to come; known at the latest when the store has answered. */
  length: number | undefined;
  etag: string | undefined;
}

/**
 * Reads an object or a range of it. If the connection breaks, it goes on at the same byte of the same object. Ends without an
 * error only after as many bytes as the store promised.
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
  const position: Position = { key, offset: range.offset, length: range.length, etag: undefined };
  // A reader that has seen enough leaves the loop; then the request has to end too.
  const stop = new AbortController();
  const whole = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  try {
    for (let failures = 0; position.length !== 0; ) {
      const before = position.offset;
      const thrown = yield* readOn(context, position, whole, what);
      // A connection that breaks after the last byte has done its work; so has one to an empty object.
      if (thrown === undefined || position.length === 0) return;
      failures = position.offset - before > soundBytes ? 1 : failures + 1;
      await attempts.pause(attempts.error(thrown.error, what, signal), failures, what, whole);
    }
  } finally {
    stop.abort();
  }
}

/** One request, and its body as far as it comes. Returns what it broke off with, if it did. */
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
  const response = await attempts.once({ what }, signal, (limited) => driver.read({ ...position }, limited));
  position.etag ??= response.etag;
  position.length = response.bytes;
  for await (const chunk of silenceEnds(response.body, attempts.clock, attempts.limitMs(), what)) {
    if (chunk.byteLength > position.length) throw new BlobError('Unavailable', `${what}: more came than was promised`);
    position.offset += chunk.byteLength;
    position.length -= chunk.byteLength;
    yield chunk;
  }
  if (position.length > 0) throw new BlobError('Unavailable', `${what}: ${position.length} bytes are missing`);
}
