// SPDX-License-Identifier: Apache-2.0
import type { Client, ObjectKey } from '@operator-parts/kube';
import type { Logger } from '@operator-parts/ports';
import type { Result } from './result.ts';

/** The object to reconcile. Does not say what happened: several events become one request. */
export type Request = ObjectKey;

/** What a reconcile can use. */
export interface ReconcileContext {
  /** Aborted when the manager stops, the lease is lost or the reconcile takes too long. Pass it to every wait. */
  readonly signal: AbortSignal;
  /**
   * The client for the API server. It remembers writes: the next reconcile of this request waits until the caches
   * contain them. Refuses writes once `signal` is aborted.
   */
  readonly client: Client;
  /**
   * Throws if writes are no longer allowed: the lease may be lost, or `signal` is aborted. `client` calls it before
   * every write; a reconcile that changes anything else calls it right before each change.
   */
  readonly fence: () => void;
  /** Adds the controller and the object to each line. */
  readonly log: Logger;
  /** How many attempts in a row have failed before this one. */
  readonly failures: number;
}

/**
 * What the author of a controller writes. It makes the actual state match one object.
 *
 * A reconcile is *level-based*. It is told which object to look at, not what changed, and works from what is there now:
 * read the object and what belongs to it from the caches, compare, act, report. Events are merged, so an intermediate
 * state may never be seen, and nothing may depend on seeing it. The object may be gone: then there is nothing to do, or
 * something to clean up.
 *
 * ```ts
 * const reconcile: ReconcileFunction = async (request, { client, signal }) => {
 *   const network = networks.lister.get(request);
 *   if (!network) return done();                             // deleted; owned objects go with it
 *   const wanted = configMapOf(network);
 *   if (!sameData(configMaps.lister.get(keyOf(wanted)), wanted)) {
 *     await client.resource(configMapKind).apply(wanted, { fieldManager: 'network', signal });
 *   }
 *   return done();
 * };
 * ```
 *
 * The runtime promises:
 * - A request is never reconciled twice at the same time.
 * - A key that is added while it is reconciled is reconciled once more.
 * - An error that is thrown is reported, and the reconcile is retried with growing delays (5 ms to 1000 s), which delay
 *   no other object.
 * - A `TerminalError` is reported and not retried.
 *
 * The runtime expects:
 * - Every wait ends when `signal` is aborted.
 * - Every write has a precondition, because a cache is always a little old and a lease may be lost at any time.
 * - Running a reconcile twice does no harm.
 */
export interface Reconciler {
  reconcile(request: Request, context: ReconcileContext): Promise<Result>;
}

/** A function can be used as a `Reconciler`. */
export type ReconcileFunction = Reconciler['reconcile'];

/** Converts either form to the interface. */
export function asReconciler(reconciler: Reconciler | ReconcileFunction): Reconciler {
  return typeof reconciler === 'function' ? { reconcile: reconciler } : reconciler;
}
