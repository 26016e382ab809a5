// SPDX-License-Identifier: Apache-2.0
import type { TransportResponse } from '@operator-parts/kube';

/** One line of a watch. */
export interface WatchLine<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

const patience = 60_000;

/** An open watch, read line by line. */
export class WatchStream<T> {
  readonly headers: Readonly<Record<string, string>>;
  readonly #lines: AsyncIterator<string>;
  readonly #stop: AbortController;

  constructor(response: TransportResponse, stop: AbortController) {
    this.headers = response.headers;
    this.#lines = linesOf(response.body)[Symbol.asyncIterator]();
    this.#stop = stop;
  }

  /** The next line; fails if the watch ends or nothing arrives. */
  async next(): Promise<WatchLine<T>> {
    const line = await this.#line();
    if (line === undefined) throw new Error('the watch ended where an event was expected');
    return line;
  }

  /** The next `count` lines. */
  async take(count: number): Promise<WatchLine<T>[]> {
    const lines: WatchLine<T>[] = [];
    while (lines.length < count) lines.push(await this.next());
    return lines;
  }

  /** All lines until the server ends the watch. */
  async rest(): Promise<WatchLine<T>[]> {
    const lines: WatchLine<T>[] = [];
    for (let line = await this.#line(); line !== undefined; line = await this.#line()) lines.push(line);
    return lines;
  }

  close(): void {
    this.#stop.abort(new Error('the case has closed its watch'));
  }

  async #line(): Promise<WatchLine<T> | undefined> {
    const timer = setTimeout(() => this.#stop.abort(new Error('nothing came for a minute')), patience);
    try {
      const { value, done } = await this.#lines.next();
      return done ? undefined : (JSON.parse(value) as WatchLine<T>);
    } catch (error) {
      throw this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') yield part;
  }
  if (rest !== '') yield rest;
}
