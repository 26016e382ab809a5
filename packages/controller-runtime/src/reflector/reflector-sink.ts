// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@etcd-operator/kube';

/**
 * The typed events of a reflector, one method each so that an event costs no garbage. Consumers never see raw watch lines.
 *
 * ```
 * init (initApply | delete)* initDone (apply | delete | progress)* init ...
 * ```
 *
 * `init` may follow `initApply`: a list that broke off starts again. Until `initDone` nothing can be concluded from an object
 * that did not come.
 */
export interface ReflectorSink<T extends KubeObject> {
  /**
   * A complete view begins. What is held from before stays valid until `initDone`.
   * @param doubted it may be of another world, in which the same version does not mean the same object
   */
  init(doubted?: boolean): void;
  /** An object of the complete view. */
  initApply(object: T): void;
  /**
   * The view is complete as of `resourceVersion`: what did not come since the last `init` is gone.
   * @param replaced it is of another world than what came before: the server's data was lost, restored or swapped
   */
  initDone(resourceVersion: string, replaced?: boolean): void;
  /** An object appeared or changed. */
  apply(object: T): void;
  /** An object was deleted, or no longer fits the selection; `object` is its last state. */
  delete(object: T): void;
  /** Everything up to `resourceVersion` has been delivered. Follows `apply` and `delete` too. */
  progress(resourceVersion: string): void;
}
