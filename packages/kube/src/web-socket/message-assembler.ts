// SPDX-License-Identifier: Apache-2.0
import { type Frame, FrameError } from './frame.ts';

/** Joins the data frames of fragmented messages. Control frames may occur between them and are not passed here. */
export class MessageAssembler {
  readonly #limit: number;
  #parts: Uint8Array[] | undefined;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The message that this frame completes, if any. */
  push(frame: Frame): Uint8Array | undefined {
    const continues = frame.opcode === 'continuation';
    if (continues !== (this.#parts !== undefined)) throw new FrameError('fragments of a message are out of order');
    if (!continues && frame.final) return frame.payload;
    this.#parts ??= [];
    this.#parts.push(frame.payload);
    this.#size += frame.payload.length;
    if (this.#size > this.#limit) throw new FrameError(`a message is longer than ${this.#limit} bytes`);
    if (!frame.final) return undefined;
    const message = Buffer.concat(this.#parts, this.#size);
    this.#parts = undefined;
    this.#size = 0;
    return message;
  }
}
