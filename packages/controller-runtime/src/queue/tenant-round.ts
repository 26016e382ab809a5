// SPDX-License-Identifier: Apache-2.0
import type { TenantLine } from './tenant.ts';

/** The lines of one lane that are not empty, in the order in which they are served. Whoever was served goes to the end. */
export class TenantRound {
  #head: TenantLine | undefined;
  #tail: TenantLine | undefined;

  get head(): TenantLine | undefined {
    return this.#head;
  }

  append(line: TenantLine): void {
    line.previous = this.#tail;
    line.next = undefined;
    if (this.#tail) this.#tail.next = line;
    else this.#head = line;
    this.#tail = line;
  }

  remove(line: TenantLine): void {
    if (line.previous) line.previous.next = line.next;
    else this.#head = line.next;
    if (line.next) line.next.previous = line.previous;
    else this.#tail = line.previous;
    line.previous = undefined;
    line.next = undefined;
  }

  /** It was served, and has more. */
  moveToEnd(line: TenantLine): void {
    if (line === this.#tail) return;
    this.remove(line);
    this.append(line);
  }

  /** The first whose tenant has nothing under way. Those it passes by have, so there are no more of them than workers. */
  newcomer(): TenantLine | undefined {
    let line = this.#head;
    while (line && line.tenant.underWay > 0) line = line.next;
    return line;
  }
}
