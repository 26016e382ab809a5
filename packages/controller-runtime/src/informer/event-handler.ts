// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { DeepReadonly } from '../store/deep-readonly.ts';
import type { Removal } from '../store/removal.ts';

/** Why a handler is called. */
export interface Occasion {
  /** The object is part of a complete view (start-up or relist), not a change. */
  readonly initial: boolean;
  /** Nothing changed: a periodic resync. */
  readonly resync: boolean;
}

/**
 * Receives the changes of a cache. Objects are shared with other readers: copy an object before changing it.
 *
 * A handler that throws or rejects is reported and called again for the next change. If it returns a promise, it is
 * called again only when that has settled; meanwhile its changes are merged per object, so that it always gets the
 * newest state and its backlog never exceeds one change per object. No handler delays another or the cache.
 */
export interface EventHandler<T extends KubeObject> {
  added?(object: DeepReadonly<T>, occasion: Occasion): void | Promise<void>;
  updated?(before: DeepReadonly<T>, after: DeepReadonly<T>, occasion: Occasion): void | Promise<void>;
  removed?(object: DeepReadonly<T>, how: Removal): void | Promise<void>;
}

export const news: Occasion = Object.freeze({ initial: false, resync: false });
export const initialView: Occasion = Object.freeze({ initial: true, resync: false });
export const resyncOccasion: Occasion = Object.freeze({ initial: false, resync: true });
