// SPDX-License-Identifier: Apache-2.0

/** The point up to which data can be recovered: the backup and the stored changes contain everything that was written before. */
export interface RecoveryPoint {
  readonly revision: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** A read showed that the cluster was at this revision at this time. */
interface Sight {
  readonly revision: bigint;
  readonly at: number;
}

/**
 * The highest number of reads that are remembered. If a stream is further behind, only stored change segments advance its recovery point.
 */
const mostSights = 32;

/**
 * Tracks how far a stream has recorded. While nothing is written to the cluster, nothing is stored either; then each read that returns the
 * unchanged revision advances the time of the recovery point. Pure.
 */
export class PointTracker {
  #sights: readonly Sight[] = [];
  #point: RecoveryPoint | undefined;
  #stored: bigint;

  /** @param stored the revision up to which everything is stored */
  constructor(stored: bigint) {
    this.#stored = stored;
  }

  /** Undefined before the first read of the revision and the first stored segment. */
  get point(): RecoveryPoint | undefined {
    return this.#point;
  }

  /** Reports that a linearizable read, begun at this time, returned this revision. */
  sighted(revision: bigint, at: number): void {
    this.#sights = [...this.#sights, { revision, at }].slice(-mostSights);
    this.#settle();
  }

  /** Reports that everything up to this revision is stored. `lastAt` is when its last change was received. */
  stored(revision: bigint, lastAt: number): void {
    this.#stored = revision;
    this.#advance(lastAt);
    this.#settle();
  }

  #settle(): void {
    const reached = this.#sights.filter(({ revision }) => revision <= this.#stored);
    for (const { at } of reached) this.#advance(at);
    this.#sights = this.#sights.filter(({ revision }) => revision > this.#stored);
  }

  #advance(time: number): void {
    this.#point = { revision: this.#stored, time: Math.max(time, this.#point?.time ?? 0) };
  }
}
