// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';

interface Sight {
  readonly value: unknown;
  readonly since: number;
}

/**
 * How long this process has seen a value, by the monotonic clock. What a status records is wall-clock time, which somebody may
 * set; that something is at least this old holds whatever they set it to.
 */
export class SeenFor {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #sights = new Map<string, Map<string, Sight>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Milliseconds since `value` was first seen without a break as `what` of this object; 0 at first sight. */
  of(uid: string, what: string, value: unknown): number {
    const now = this.#clock.monotonic();
    const sights = this.#sights.get(uid) ?? new Map<string, Sight>();
    const known = sights.get(what);
    const sight = known && known.value === value ? known : { value, since: now };
    this.#sights.set(uid, sights.set(what, sight));
    return now - sight.since;
  }

  forget(uid: string): void {
    this.#sights.delete(uid);
  }
}
