// SPDX-License-Identifier: Apache-2.0

interface Line {
  readonly tenant: string;
  readonly keys: string[];
}

const tenantOf = (key: string) => key.split('/')[0] ?? '';

/**
 * The order in which a queue with tenants hands out keys, in the simplest form: for each lane a list of tenants, each
 * with a list of keys.
 */
export class FairQueueModel {
  readonly #lanes: Line[][] = [[], [], []];
  readonly #processing = new Set<string>();
  /** The keys in `#processing` that take so long that they do not count. */
  readonly #stuck = new Set<string>();
  /** The keys that were added while they were being processed, with their lane. */
  readonly #again = new Map<string, number>();
  readonly #shared: number;

  constructor(shared: number) {
    this.#shared = shared;
  }

  add(key: string, lane: number): void {
    if (this.#processing.has(key)) {
      this.#again.set(key, Math.min(lane, this.#again.get(key) ?? lane));
      return;
    }
    const waitsIn = this.#lanes.findIndex((lines) => lines.some(({ keys }) => keys.includes(key)));
    if (waitsIn >= 0 && waitsIn <= lane) return;
    if (waitsIn >= 0) this.#take(key, waitsIn);
    const line = this.#lanes[lane]?.find(({ tenant }) => tenant === tenantOf(key));
    if (line) line.keys.push(key);
    else this.#lanes[lane]?.push({ tenant: tenantOf(key), keys: [key] });
  }

  get(): string | undefined {
    const counting = [...this.#processing].filter((key) => !this.#stuck.has(key));
    const isCrowded = counting.length >= this.#shared;
    const busy = new Set(counting.map(tenantOf));
    for (const [lane, lines] of this.#lanes.entries()) {
      const line = lines.find(({ tenant }) => !isCrowded || !busy.has(tenant));
      const key = line?.keys[0];
      if (!line || key === undefined) continue;
      this.#take(key, lane);
      // A tenant that was served moves to the end.
      if (lines.includes(line)) lines.push(...lines.splice(lines.indexOf(line), 1));
      this.#processing.add(key);
      return key;
    }
    return undefined;
  }

  markStuck(key: string): void {
    this.#stuck.add(key);
  }

  done(key: string): void {
    this.#processing.delete(key);
    this.#stuck.delete(key);
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane !== undefined) this.add(key, lane);
  }

  #take(key: string, lane: number): void {
    const lines = this.#lanes[lane] ?? [];
    const at = lines.findIndex(({ keys }) => keys.includes(key));
    const line = lines[at];
    line?.keys.splice(line.keys.indexOf(key), 1);
    if (line?.keys.length === 0) lines.splice(at, 1);
  }
}
