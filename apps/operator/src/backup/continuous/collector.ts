// SPDX-License-Identifier: Apache-2.0
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import { SegmentBuilder } from '../../changes/segment.ts';

/** The changes that were collected for one change segment (an object in the store that holds recorded changes). */
export interface Collected {
  readonly builder: SegmentBuilder;
  /** Leases that the changed keys are attached to. */
  readonly leases: ReadonlySet<bigint>;
}

/** A segment is stored as soon as it has this size. While it is being stored, up to the same amount is collected for the next one. */
const segmentBytes = 8 * 1024 * 1024;

/**
 * Changes that were received from a watch and are not being stored yet. While the collector is full, `add` waits, so nothing more is read
 * from the watch.
 */
export class Collector {
  #builder: SegmentBuilder;
  #leases = new Set<bigint>();
  #room = Promise.withResolvers<void>();
  #full = Promise.withResolvers<void>();

  /** @param from the first revision to collect */
  constructor(from: bigint) {
    this.#builder = new SegmentBuilder(from);
  }

  /** Everything up to this revision has been collected. */
  get revision(): bigint {
    return this.#builder.next - 1n;
  }

  /** Resolves when there are enough changes for a segment. */
  get full(): Promise<void> {
    return this.#full.promise;
  }

  /** Throws a `ChangesError` for a revision that is not the next one or is too large. Resolves when there is room for another revision. */
  async add(changes: RevisionChanges): Promise<void> {
    this.#builder.add(changes);
    for (const { type, kv } of changes.events) if (type === 'put' && kv.lease !== 0n) this.#leases.add(kv.lease);
    if (this.#builder.bytes < segmentBytes) return;
    this.#full.resolve();
    await this.#room.promise;
  }

  /** Returns the collected changes and makes room; undefined if there are none. */
  take(): Collected | undefined {
    if (this.#builder.isEmpty) return undefined;
    const taken = { builder: this.#builder, leases: this.#leases };
    this.#builder = new SegmentBuilder(taken.builder.next);
    this.#leases = new Set();
    this.#full = Promise.withResolvers();
    this.#room.resolve();
    this.#room = Promise.withResolvers();
    return taken;
  }
}
