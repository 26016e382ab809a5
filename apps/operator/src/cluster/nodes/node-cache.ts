// SPDX-License-Identifier: Apache-2.0
import type { InformerStatus } from '@operator-parts/controller-runtime';
import type { Node } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';

/**
 * A node counts as deleted once a live cache has not had the node for this long, in milliseconds. The caches of pods and nodes are not
 * synchronized: the cache may show a pod on a new node before it shows the node.
 */
const absentAfter = 30_000;
/**
 * If no one has asked about a missing node for this long, in milliseconds, the time for which the node is missing starts again, because it
 * may have existed in between.
 */
const askedWithin = 60_000;

interface Missing {
  readonly since: number;
  readonly askedAt: number;
}

/** The parts of an informer for nodes that `NodeCache` reads. */
export interface ReadableNodes {
  readonly lister: { get(key: { readonly name: string }): Node | undefined };
  readonly status: Pick<InformerStatus, 'phase'>;
}

/** The nodes as far as they can be read: known, known to be deleted, or unknown. */
export class NodeCache {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #missing = new Map<string, Missing>();
  #nodes: ReadableNodes | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** To be called when the operator may read nodes. */
  open(nodes: ReadableNodes): void {
    this.#nodes = nodes;
  }

  /** Undefined if the node does not exist, or if nodes cannot be read at the moment. */
  get(name: string): Node | undefined {
    return this.#live?.lister.get({ name });
  }

  /** True only if nodes can be read and no node of this name has existed for a while. The caller must ask repeatedly. */
  isAbsent(name: string): boolean {
    const live = this.#live;
    if (!live) this.#missing.clear();
    if (!live || live.lister.get({ name })) {
      this.#missing.delete(name);
      return false;
    }
    const now = this.#clock.monotonic();
    for (const [other, { askedAt }] of this.#missing) if (now - askedAt > askedWithin) this.#missing.delete(other);
    const since = this.#missing.get(name)?.since ?? now;
    this.#missing.set(name, { since, askedAt: now });
    return now - since >= absentAfter;
  }

  get #live(): ReadableNodes | undefined {
    return this.#nodes?.status.phase === 'live' ? this.#nodes : undefined;
  }
}
