// SPDX-License-Identifier: Apache-2.0

/** Splits a body into pieces of the requested lengths, and reads no more of it than needed. */
export class ByteQueue {
  readonly #body: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  /** Returns a copy of the next `length` bytes; fewer only if the body ends before. */
  async take(length: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const piece = this.#rest.subarray(0, missing);
      // The caller may reuse the memory of the pieces.
      pieces.push(Buffer.from(piece));
      this.#rest = this.#rest.subarray(piece.byteLength);
      missing -= piece.byteLength;
    }
    return Buffer.concat(pieces);
  }

  /** Stops reading, because the rest of the body is not needed. */
  async close(): Promise<void> {
    await this.#body.return?.();
  }

  /** False at the end of the body. */
  async #fill(): Promise<boolean> {
    while (this.#rest.byteLength === 0) {
      const next = await this.#body.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
