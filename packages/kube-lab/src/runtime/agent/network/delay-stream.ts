// SPDX-License-Identifier: Apache-2.0
import { Transform, type TransformCallback } from 'node:stream';
import type { Clock } from '@operator-parts/ports';

/** The maximum number of bytes in transit; then the sender waits. */
const inFlightLimit = 4 * 1024 * 1024;

/** Forwards bytes in order, each piece after a delay. The end is delayed in the same way. */
export class DelayStream extends Transform {
  readonly #clock: Clock;
  readonly #delay: number;
  #inFlight = 0;
  #blocked: TransformCallback | undefined;

  constructor(clock: Clock, delayMilliseconds: number) {
    super();
    this.#clock = clock;
    this.#delay = delayMilliseconds;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#inFlight += chunk.length;
    this.#clock.schedule(this.#delay, () => {
      this.#inFlight -= chunk.length;
      if (!this.destroyed) this.push(chunk);
      const blocked = this.#blocked;
      this.#blocked = undefined;
      blocked?.();
    });
    if (this.#inFlight < inFlightLimit) done();
    else this.#blocked = done;
  }

  override _flush(done: TransformCallback): void {
    this.#clock.schedule(this.#delay, () => done());
  }
}
