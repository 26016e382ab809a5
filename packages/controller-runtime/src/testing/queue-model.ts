// SPDX-License-Identifier: Apache-2.0

interface Item {
  ready: boolean;
  lane: number;
  /** Position in the queue. */
  since: number;
  processing: boolean;
  due: number | undefined;
  dueOrder: number;
}

/** The queue's contract in the simplest form: a table, searched from end to end. */
export class QueueModel {
  readonly #items = new Map<string, Item>();
  now = 0;
  closed = false;
  #line = 0;

  /** How many keys are ready, delayed and being processed. */
  get counts(): readonly [ready: number, delayed: number, processing: number] {
    const items = [...this.#items.values()];
    return [
      items.filter((item) => item.ready && !item.processing).length,
      items.filter((item) => item.due !== undefined).length,
      items.filter((item) => item.processing).length,
    ];
  }

  add(key: string, lane: number): void {
    if (this.closed) return;
    const item = this.#item(key);
    if (item.ready) {
      if (lane < item.lane) Object.assign(item, { lane, since: this.#line++ });
      return;
    }
    item.lane = item.due === undefined ? lane : Math.min(item.lane, lane);
    item.due = undefined;
    item.ready = true;
    item.since = this.#line++;
  }

  addAfter(key: string, lane: number, delay: number): void {
    if (this.closed) return;
    if (delay <= 0) {
      this.add(key, lane);
      return;
    }
    const item = this.#item(key);
    if (item.ready) return;
    item.lane = item.due === undefined ? lane : Math.min(item.lane, lane);
    if (item.due === undefined || this.now + delay < item.due) {
      item.due = this.now + delay;
      item.dueOrder = this.#line++;
    }
  }

  get(): string | undefined {
    const waiting = [...this.#items].filter(([, item]) => item.ready && !item.processing);
    waiting.sort(([, one], [, other]) => one.lane - other.lane || one.since - other.since);
    const first = waiting[0];
    if (!first) return undefined;
    Object.assign(first[1], { ready: false, processing: true });
    return first[0];
  }

  done(key: string): void {
    const item = this.#item(key);
    item.processing = false;
    if (item.ready) item.since = this.#line++;
  }

  wait(time: number): void {
    const end = this.now + time;
    const due = [...this.#items].filter(([, item]) => item.due !== undefined && item.due <= end);
    due.sort(([, one], [, other]) => (one.due ?? 0) - (other.due ?? 0) || one.dueOrder - other.dueOrder);
    for (const [key, item] of due) {
      this.now = item.due ?? this.now;
      this.add(key, item.lane);
    }
    this.now = end;
  }

  shutDown(): void {
    this.closed = true;
    for (const item of this.#items.values()) item.due = undefined;
  }

  #item(key: string): Item {
    const known = this.#items.get(key);
    if (known) return known;
    const made = { ready: false, lane: 2, since: 0, processing: false, due: undefined, dueOrder: 0 };
    this.#items.set(key, made);
    return made;
  }
}
