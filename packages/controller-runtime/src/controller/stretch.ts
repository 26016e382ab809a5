// SPDX-License-Identifier: Apache-2.0
import { nextTurn } from '@etcd-operator/ports';

/** How long work may go on without a turn of the event loop, in milliseconds. */
const longest = 10;

/**
 * The work done since the event loop last turned. Reconciles that find all they need in caches wait for nothing, so that a queue
 * full of them would keep the process from renewing its lease, answering probes and hearing SIGTERM, however long it takes.
 */
export class Stretch {
  #since: number | undefined;

  /** True if the event loop has to turn before more is done. Called with the monotonic time before each piece of work. */
  isLong(now: number): boolean {
    if (this.#since !== undefined) return now - this.#since >= longest;
    this.#since = now;
    void nextTurn().then(() => (this.#since = undefined));
    return false;
  }
}
