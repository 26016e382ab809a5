// SPDX-License-Identifier: Apache-2.0
import { type FSWatcher, statSync, watch } from 'node:fs';
import type { Clock } from '@operator-parts/ports';

interface Sample {
  /** How many bytes of the file had been written at `time`. */
  readonly size: number;
  /** Wall-clock milliseconds. */
  readonly time: number;
}

/** Two samples closer than this, in milliseconds, become one. */
const resolution = 50;
const sampleLimit = 20_000;

/**
 * When each part of a log was written. Programs write to their log files directly, without times, so their growth is
 * watched. Costs nothing while a program writes nothing.
 */
export class LogIndex {
  readonly #file: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #watcher: FSWatcher | undefined;
  #samples: Sample[] = [];

  constructor(file: string, clock: Pick<Clock, 'now'>) {
    this.#file = file;
    this.#clock = clock;
    this.#sample();
    this.#watcher = this.#watch();
  }

  /** When the byte at `offset` was written. */
  timeOf(offset: number): number {
    return this.#samples.find(({ size }) => size > offset)?.time ?? this.#clock.now();
  }

  /** The first byte that was written at or after `time`. */
  offsetSince(time: number): number {
    return this.#samples.findLast((sample) => sample.time < time)?.size ?? 0;
  }

  close(): void {
    this.#sample();
    this.#watcher?.close();
  }

  #watch(): FSWatcher | undefined {
    try {
      const watcher = watch(this.#file, { persistent: false }, () => this.#sample());
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      // Nothing to do: without a watcher (the system limits their number), only the time of the run's end is known.
      return undefined;
    }
  }

  #sample(): void {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    const last = this.#samples.at(-1);
    if (size === 0 || (last && last.size >= size)) return;
    const time = this.#clock.now();
    if (last && time - last.time < resolution) this.#samples[this.#samples.length - 1] = { size, time: last.time };
    else this.#samples.push({ size, time });
    if (this.#samples.length > sampleLimit) this.#samples = this.#samples.filter((_, index) => index % 2 === 1);
  }
}
