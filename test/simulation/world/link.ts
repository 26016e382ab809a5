// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';

/** What a connection is made on. */
export interface Way {
  /** False while bytes are lost between the two ends, without a word to either. */
  readonly isOpen: () => boolean;
  /** Told of every piece that leaves. */
  readonly onTraffic: () => void;
  /** Told of every piece that is lost. */
  readonly onLoss?: () => void;
}

/** One end of a connection in memory. */
class End extends Duplex {
  readonly #way: Way;
  other: End | undefined;

  constructor(way: Way) {
    super();
    this.#way = way;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#way.onTraffic();
    if (!this.#way.isOpen()) this.#way.onLoss?.();
    else if (this.other && !this.other.destroyed) this.other.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#way.onTraffic();
    if (this.#way.isOpen() && this.other && !this.other.destroyed) this.other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#way.onTraffic();
    const { other } = this;
    if (this.#way.isOpen() && other && !other.destroyed) process.nextTick(() => other.destroy());
    done(error);
  }
}

/** The two ends of a connection in memory. It keeps no bytes back: what is sent while the way is closed is lost for good. */
export function openLink(way: Way): readonly [Duplex, Duplex] {
  const [near, far] = [new End(way), new End(way)];
  near.other = far;
  far.other = near;
  return [near, far];
}
