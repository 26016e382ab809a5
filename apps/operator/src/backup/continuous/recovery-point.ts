// SPDX-License-Identifier: Apache-2.0

/** Up to where the data of a cluster can be recovered: the backup and the stored changes hold everything that was written before. */
export interface RecoveryPoint {
  readonly revision: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** That the cluster was at a revision at a time. */
interface Sight {
  readonly revision: bigint;
  readonly at: number;
}

/** More sights than this are not waited for: a stream that is so far behind is measured by what it stores. */
const mostSights = 32;

/**
 * Follows how far a stream has come. In a quiet cluster nothing is stored; there it is the sight of an unchanged revision that moves the time
 * on. Pure.
 */
export class PointTracker {
  #sights: readonly Sight[] = [];
  #point: RecoveryPoint | undefined;
  #stored: bigint;

  /** @param stored everything up to this revision is stored */
  constructor(stored: bigint) {
    this.#stored = stored;
  }

  /** Undefined until the first sight or the first stored segment. */
  get point(): RecoveryPoint | undefined {
    return this.#point;
  }

  /** A linearizable read that was begun at a time gave this revision. */
  sighted(revision: bigint, at: number): void {
    this.#sights = [...this.#sights, { revision, at }].slice(-mostSights);
    this.#settle();
  }

  /** Everything up to this revision is stored; its last change was seen at a time. */
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
