// SPDX-License-Identifier: Apache-2.0
import {
  type KubeObject,
  keyString,
  matchesLabels,
  type ObjectKey,
  parseLabelSelector,
  qualifiedName,
  type Resource,
  type Status,
} from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { Informer } from '../informer/informer.ts';

/** A write that must be visible in the cache before the next decision. */
interface Write {
  readonly informer: Informer<KubeObject>;
  readonly key: string;
  /** The resourceVersion of the write; unknown for some deletions. */
  readonly version: string | undefined;
  /** For deletions: the UID of the deleted object; empty if the server did not return it. */
  readonly deletedUid: string | undefined;
  readonly at: number;
  /**
   * How often the API server's data had been replaced (restored from a backup, lost or swapped) at the time of the
   * write. A version from before a replacement may never be reached.
   */
  readonly generation: number;
}

export interface OwnWritesOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The caches of a kind. */
  readonly informersOf: (resource: Resource) => readonly Informer<KubeObject>[];
  /** After this time a live cache no longer has to show the write, in milliseconds. */
  readonly limit: number;
  /** Called when a request no longer has to wait. */
  readonly onCaughtUp: (request: string) => void;
  /** Called when a wait has timed out. */
  readonly onGivenUp: (request: string, resource: string) => void;
}

/**
 * Remembers the writes of each request, so that the request is not reconciled again with a cache that does not contain
 * them. This prevents creating the same object twice. Bookmarks count as progress, so the wait ends also for objects
 * that an informer does not select.
 */
export class OwnWrites {
  readonly #options: OwnWritesOptions;
  readonly #writes = new Map<string, Map<string, Write>>();
  readonly #waiting = new Map<Informer<KubeObject>, { readonly requests: Set<string>; readonly end: () => void }>();

  constructor(options: OwnWritesOptions) {
    this.#options = options;
  }

  /** Records that `request` wrote `object` (the server's answer). */
  wrote(request: string, resource: Resource, key: ObjectKey, object: KubeObject): void {
    const version = object.metadata?.resourceVersion;
    if (version) this.#remember(request, resource, key, version, undefined, object.metadata?.labels ?? {});
  }

  /** Records that `request` deleted an object; `answer` is what the server returned: the object or a Status. */
  deleted(request: string, resource: Resource, key: ObjectKey, answer: KubeObject): void {
    const { uid, resourceVersion } = answer.metadata ?? {};
    this.#remember(request, resource, key, resourceVersion, uid ?? uidInStatus(answer));
  }

  /** True if a cache does not contain a write of `request` yet; `onCaughtUp` is called later. */
  isBehind(request: string): boolean {
    const writes = this.#writes.get(request);
    if (writes === undefined) return false;
    for (const [id, write] of writes) {
      if (this.#isSeen(write)) writes.delete(id);
      else if (this.#isHopeless(write)) {
        writes.delete(id);
        this.#options.onGivenUp(request, write.informer.name);
      } else {
        this.#wait(write.informer, request);
        return true;
      }
    }
    this.#writes.delete(request);
    return false;
  }

  #remember(
    request: string,
    resource: Resource,
    key: ObjectKey,
    version: string | undefined,
    deletedUid: string | undefined,
    labels?: Readonly<Record<string, string>>,
  ): void {
    for (const informer of this.#options.informersOf(resource)) {
      const { namespace } = informer.selection;
      if (namespace !== undefined && namespace !== key.namespace) continue;
      if (labels && isHidden(informer, keyString(key), labels)) continue;
      const at = this.#options.clock.monotonic();
      const write = { informer, key: keyString(key), version, deletedUid, at, generation: informer.generation };
      if (this.#isSeen(write)) continue;
      const writes = this.#writes.get(request) ?? new Map<string, Write>();
      writes.set(`${qualifiedName(resource)} ${write.key} ${JSON.stringify(informer.selection)}`, write);
      this.#writes.set(request, writes);
    }
  }

  #isSeen({ informer, key, version, deletedUid, generation }: Write): boolean {
    if (informer.generation !== generation) return true;
    const held = informer.lister.get(key);
    if (deletedUid !== undefined) {
      if (held === undefined || held.metadata?.deletionTimestamp !== undefined) return true;
      if (deletedUid !== '' && held.metadata?.uid !== deletedUid) return true;
      if (version === undefined) return false;
    }
    if (version === undefined) return true;
    // Versions that cannot be ordered can still be compared for equality.
    return informer.hasReached(version) ?? held?.metadata?.resourceVersion === version;
  }

  /**
   * True if waiting longer is useless: a live cache that still does not show the write never will. A disconnected cache
   * may.
   */
  #isHopeless({ informer, at }: Write): boolean {
    return this.#options.clock.monotonic() - at >= this.#options.limit && informer.status.phase === 'live';
  }

  #wait(informer: Informer<KubeObject>, request: string): void {
    const present = this.#waiting.get(informer);
    if (present) {
      present.requests.add(request);
      return;
    }
    const end = informer.onProgress(() => this.#recheck(informer));
    this.#waiting.set(informer, { requests: new Set([request]), end });
  }

  #recheck(informer: Informer<KubeObject>): void {
    const waiting = this.#waiting.get(informer);
    if (waiting === undefined) return;
    for (const request of waiting.requests) {
      const writes = [...(this.#writes.get(request)?.values() ?? [])];
      if (writes.some((write) => write.informer === informer && !this.#isSeen(write))) continue;
      waiting.requests.delete(request);
      this.#options.onCaughtUp(request);
    }
    if (waiting.requests.size > 0) return;
    waiting.end();
    this.#waiting.delete(informer);
  }
}

function uidInStatus(answer: KubeObject): string {
  const { details } = answer as Status;
  return details?.uid ?? '';
}

/**
 * True if an informer never receives an object: it does not select the labels of the object and does not contain the
 * object.
 */
function isHidden(informer: Informer<KubeObject>, key: string, labels: Readonly<Record<string, string>>): boolean {
  const { labelSelector } = informer.selection;
  if (labelSelector === undefined || informer.lister.get(key) !== undefined) return false;
  return !matchesLabels(parseLabelSelector(labelSelector), labels);
}
