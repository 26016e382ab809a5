// SPDX-License-Identifier: Apache-2.0
import type { TenantLine } from './tenant.ts';

/**
 * The non-empty lines of one lane, in the order in which they are served. After being served, a line moves to the end.
 */
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

  /** Moves a line to the end, after it was served and if it is not empty. */
  moveToEnd(line: TenantLine): void {
    if (line === this.#tail) return;
    this.remove(line);
    this.append(line);
  }

  /**
   * The first line whose tenant has nothing in progress. A skipped tenant has something in progress, so at most as many
   * lines are skipped as there are workers.
   */
  newcomer(): TenantLine | undefined {
    let line = this.#head;
    while (line && line.tenant.underWay > 0) line = line.next;
    return line;
  }
}
