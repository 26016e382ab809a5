// SPDX-License-Identifier: Apache-2.0

/** The deadline of a test or hook. */
export interface Deadline {
  remaining(): number;
}

/** The running tests and hooks, the innermost last. For concurrent tests the deadline cannot be determined. */
export class Deadlines {
  readonly #open: Deadline[] = [];
  #areMixed = false;

  get current(): Deadline | undefined {
    return this.#open.at(-1);
  }

  /** A new one has begun, or the innermost has ended and the outer one is current again. */
  set(deadline: Deadline | undefined): void {
    if (deadline && !this.#open.includes(deadline)) {
      this.#open.push(deadline);
      return;
    }
    this.#open.pop();
    if (this.current !== deadline) this.#areMixed = true;
  }

  /** Milliseconds; infinite if unknown. */
  get timeLeft(): number {
    return this.#areMixed ? Number.POSITIVE_INFINITY : (this.current?.remaining() ?? Number.POSITIVE_INFINITY);
  }
}

const key = Symbol.for('etcd-operator.test-deadlines');
const shared = globalThis as { [key]?: Deadlines };

/** Shared by all copies of this file in the process. */
export const deadlines: Deadlines = shared[key] ?? new Deadlines();
shared[key] = deadlines;

/** Enough time to report what was seen last. */
const margin = 5_000;

/**
 * How long a wait may last: as long as requested, but not until the deadline of its test or hook. "Test timed out" does
 * not say what was awaited; a wait that fails before does.
 */
export function patienceOf(milliseconds: number): number {
  return Math.min(milliseconds, Math.max(0, deadlines.timeLeft - margin));
}
