// SPDX-License-Identifier: Apache-2.0

const newline = 0x0a;

/**
 * Splits a stream of bytes into lines. Pieces may end anywhere, also inside a character: a line is decoded only when it
 * is complete. A line in many pieces is joined once, at its end.
 */
export class LineSplitter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #size = 0;

  /** @param limit the maximum length of a line in bytes; for a longer line, `push` throws a `RangeError`. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The complete lines, without their newline, in order. Empty lines are left out. */
  *push(piece: Uint8Array): Generator<string, void, undefined> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      const line = this.#take(bytes.subarray(start, end));
      start = end + 1;
      if (line) yield line;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
  }

  /** The incomplete line after the last newline. */
  get rest(): string {
    return Buffer.concat(this.#pending).toString('utf8');
  }

  #take(tail: Buffer): string {
    if (this.#pending.length === 0) return tail.toString('utf8');
    this.#keep(tail);
    const line = Buffer.concat(this.#pending, this.#size).toString('utf8');
    this.#pending = [];
    this.#size = 0;
    return line;
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) throw new RangeError(`a line is longer than ${this.#limit} bytes`);
    this.#pending.push(part);
  }
}
