// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '@operator-parts/ports';

const interval = 500;
/** The kernel counts memory in pages. */
const pageBytes = 4096;

interface Watched {
  readonly limitBytes: number;
  readonly pid: number;
  readonly exceed: () => void;
}

/**
 * Ends containers that exceed their memory limit. The kernel would do that with cgroups, but an ordinary user has none.
 * Memory is measured twice a second, so a short peak is missed. Costs nothing while no container has a limit.
 */
export class MemoryWatch {
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(id: string, watched: Watched): void {
    this.#watched.set(id, watched);
    this.#arm();
  }

  remove(id: string): void {
    this.#watched.delete(id);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.schedule(interval, () => void this.#sample());
  }

  async #sample(): Promise<void> {
    for (const [id, { pid, limitBytes, exceed }] of [...this.#watched]) {
      if ((await residentBytes(pid)) <= limitBytes) continue;
      this.#watched.delete(id);
      exceed();
    }
    this.#timer = undefined;
    if (this.#watched.size > 0) this.#arm();
  }
}

/** The memory of a process and its descendants. */
async function residentBytes(pid: number): Promise<number> {
  const [statm, children] = await Promise.all([
    readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
  ]);
  const [, resident = '0', shared = '0'] = statm.split(' ');
  // Pages shared with files, such as the program itself, do not count.
  const own = Math.max(0, Number(resident) - Number(shared)) * pageBytes;
  const below = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => residentBytes(Number(child))),
  );
  return below.reduce((sum, each) => sum + each, own);
}
