// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';

/**
 * The typed events of a reflector, one method each so that an event allocates nothing. Consumers never see raw watch
 * lines.
 *
 * ```
 * init (initApply | delete)* initDone (apply | delete | progress)* init ...
 * ```
 *
 * `init` may follow `initApply`: an interrupted list starts again. Until `initDone` a missing object means nothing.
 */
export interface ReflectorSink<T extends KubeObject> {
  /**
   * A complete view begins. The previous objects stay valid until `initDone`.
   * @param doubted true if the server's data may have been replaced: then the same version may belong to different
   * content
   */
  init(doubted?: boolean): void;
  /** An object of the complete view. */
  initApply(object: T): void;
  /**
   * The view is complete as of `resourceVersion`: objects that were not sent since the last `init` are gone.
   * @param replaced true if the server's data was replaced since the previous view: restored from a backup, lost or
   * swapped
   */
  initDone(resourceVersion: string, replaced?: boolean): void;
  /** An object appeared or changed. */
  apply(object: T): void;
  /** An object was deleted, or no longer matches the selection; `object` is its last state. */
  delete(object: T): void;
  /** Everything up to `resourceVersion` has been delivered. Also called after `apply` and `delete`. */
  progress(resourceVersion: string): void;
}
