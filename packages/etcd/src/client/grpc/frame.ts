// SPDX-License-Identifier: Apache-2.0

/** Bytes before each gRPC message: a flag (compressed or not) and the length. */
const prefixLength = 5;

/** A message in the format of the stream. */
export function frame(message: Uint8Array): Uint8Array {
  const framed = Buffer.allocUnsafe(prefixLength + message.byteLength);
  framed.writeUInt8(0, 0);
  framed.writeUInt32BE(message.byteLength, 1);
  framed.set(message, prefixLength);
  return framed;
}

/** A stream that is not gRPC, or a message that exceeds the limit. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

/**
 * Parses the prefix of a message. Throws `FrameError` if the message is compressed, which was not requested, or too
 * large.
 */
export function messageLength(prefix: Uint8Array, limit: number): number {
  const view = Buffer.from(prefix.buffer, prefix.byteOffset, prefixLength);
  if (view.readUInt8(0) !== 0)
    throw new FrameError('the response is compressed, although compression was not requested');
  const length = view.readUInt32BE(1);
  if (length > limit) throw new FrameError(`a message of ${length} bytes is larger than the limit of ${limit}`);
  return length;
}

/** Assembles messages from chunks of any size. Holds at most one message of at most `limit` bytes. */
export class Deframer {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if a message is incomplete. */
  get partial(): boolean {
    return this.#size > 0;
  }

  /** The messages that this chunk completes. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#pending.push(chunk);
    this.#size += chunk.byteLength;
    const complete: Uint8Array[] = [];
    for (let next = this.#take(); next; next = this.#take()) complete.push(next);
    return complete;
  }

  #take(): Uint8Array | undefined {
    if (this.#size < prefixLength) return undefined;
    const first = this.#first(prefixLength);
    const end = prefixLength + messageLength(first, this.#limit);
    if (this.#size < end) return undefined;
    const joined = this.#first(end);
    const rest = joined.subarray(end);
    this.#pending = rest.byteLength === 0 ? [] : [rest];
    this.#size = rest.byteLength;
    return joined.subarray(prefixLength, end);
  }

  /** The pending bytes with at least `count` of them in the first piece; pieces are joined only when necessary. */
  #first(count: number): Uint8Array {
    const [first] = this.#pending;
    if (first && first.byteLength >= count && this.#pending.length === 1) return first;
    if (first && first.byteLength >= count && count === prefixLength) return first;
    const joined = Buffer.concat(this.#pending);
    this.#pending = [joined];
    return joined;
  }
}
