// SPDX-License-Identifier: Apache-2.0
import type { Store } from '../storage/store.ts';
import type { Replica } from './fault-table.ts';

/** What a replica with an outdated cache has seen so far. */
export class ReplicaView implements Replica {
  readonly #store: Store;
  readonly #versions: number;
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  #frozenAt: number | undefined;
  /** True if consistent reads are outdated, too. */
  readonly staleReads: boolean;

  constructor(store: Store, versions: number, staleReads: boolean) {
    this.#store = store;
    this.#versions = versions;
    this.staleReads = staleReads;
    this.#stop = store.watchAll(() => this.#notify());
  }

  /** The newest version that the replica shows. */
  get revision(): number {
    return this.#frozenAt ?? Math.max(1, this.#store.revision - this.#versions);
  }

  freeze(): void {
    this.#frozenAt ??= this.revision;
  }

  thaw(): void {
    this.#frozenAt = undefined;
    this.#notify();
  }

  /** Calls `listener` when the replica may show a newer version. Returns a function that stops it. */
  onAdvance(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
