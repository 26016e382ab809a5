// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';

/** An async iterable that a test feeds: the receiving end of a scripted watch. */
export class EventStream<E> implements AsyncIterable<E> {
  readonly #buffer: E[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #error: Error | undefined;
  /** While true nothing is delivered and nothing ends: a half-open connection. */
  stalled = false;
  onClose: () => void = () => undefined;

  constructor(signal?: AbortSignal) {
    const abort = () => this.#finish(new KubeError('Aborted', 'the request was aborted', { cause: signal?.reason }));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }

  push(event: E): void {
    if (this.stalled || this.#ended) return;
    this.#buffer.push(event);
    this.#wake?.();
  }

  /** The server ends the stream normally. */
  end(): void {
    if (!this.stalled) this.#finish(undefined);
  }

  /** The connection breaks, or invalid data arrives. */
  fail(error: Error): void {
    if (!this.stalled) this.#finish(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    try {
      for (;;) {
        const event = this.#buffer.shift();
        if (event !== undefined) yield event;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.onClose();
    }
  }

  #finish(error: Error | undefined): void {
    this.#ended = true;
    this.#error ??= error;
    if (error instanceof KubeError && error.code === 'Aborted') this.#buffer.length = 0;
    this.#wake?.();
  }
}
