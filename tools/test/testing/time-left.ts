// SPDX-License-Identifier: Apache-2.0

/** When a test or a hook is over. */
export interface Deadline {
  remaining(): number;
}

/** The tests and hooks that run, the innermost last. Of those that run side by side nobody can tell whose time it is. */
export class Deadlines {
  readonly #open: Deadline[] = [];
  #areMixed = false;

  get current(): Deadline | undefined {
    return this.#open.at(-1);
  }

  /** A new one has begun, or the innermost has ended and the one around it is named. */
  set(deadline: Deadline | undefined): void {
    if (deadline && !this.#open.includes(deadline)) {
      this.#open.push(deadline);
      return;
    }
    this.#open.pop();
    if (this.current !== deadline) this.#areMixed = true;
  }

  /** Milliseconds; without an end where it cannot be told. */
  get timeLeft(): number {
    return this.#areMixed ? Number.POSITIVE_INFINITY : (this.current?.remaining() ?? Number.POSITIVE_INFINITY);
  }
}

const key = Symbol.for('etcd-operator.test-deadlines');
const shared = globalThis as { [key]?: Deadlines };

/** Of this process, however often this file is loaded in it. */
export const deadlines: Deadlines = shared[key] ?? new Deadlines();
shared[key] = deadlines;

/** Enough to find out and to say what was seen last. */
const margin = 5_000;

/**
 * How long a wait may last: as long as it asks for, but not to the very end of its test or hook. "Test timed out" does not say what
 * was waited for; a wait that ends by itself does.
 */
export function patienceOf(milliseconds: number): number {
  return Math.min(milliseconds, Math.max(0, deadlines.timeLeft - margin));
}
