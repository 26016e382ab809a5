// SPDX-License-Identifier: Apache-2.0
import type { InformerStatus } from '@etcd-operator/controller-runtime';
import type { Node } from '@etcd-operator/kube';
import type { Clock } from '@etcd-operator/ports';

/**
 * A node counts as deleted once a live cache has lacked it for so long, in milliseconds: the caches of pods and of nodes are not in
 * step, and a pod on a new node may be seen before its node.
 */
const absentAfter = 30_000;
/** If a node was not asked about for this long, the time since it is missing starts again: what happened meanwhile is not known. */
const askedWithin = 60_000;

interface Missing {
  readonly since: number;
  readonly askedAt: number;
}

/** What of a cache of nodes is looked at. */
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

  /** Nodes may be read from now on. */
  open(nodes: ReadableNodes): void {
    this.#nodes = nodes;
  }

  /** Undefined also where nodes cannot be read, or not at the moment. */
  get(name: string): Node | undefined {
    return this.#live?.lister.get({ name });
  }

  /** True only if nodes can be read and there has been none of this name for a while. Meant to be asked again and again. */
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
