// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { type Random, seededRandom, systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { allSettled, openFleet, type Resident } from './fleet.ts';
import type { Sample } from './held.ts';
import { picture } from './picture.ts';
import { SoakLab } from './soak-lab.ts';
import { edits, faults, patience, type Trouble } from './troubles.ts';
import { type Growth, growthOf, leaksIn } from './verdict.ts';

/**
 * `SOAK_MINUTES` says for how long, `SOAK_SEED` which faults and edits come (their order, too, but for what takes longer one time than
 * another), and `SOAK_PICTURE` into which file the curve is drawn.
 */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 120);
const seed = Number(process.env['SOAK_SEED'] ?? 1);
const file = process.env['SOAK_PICTURE'];

/** Disturbed for so long, and then a rest in which everything recovers and is measured, in minutes. */
const disturbed = 4;
const rest = 0.5;
const samplingPeriod = 20_000;
const atOnce = 2;

const report = (line: string) => process.stdout.write(`${line}\n`);

test(
  `twenty clusters in ${minutes} minutes of faults, edits and backups: nothing is lost, nothing leaks, all are healthy`,
  async () => {
    await using lab = await SoakLab.open();
    report(`seed ${seed}, ${minutes} minutes`);
    try {
      const { problems, acknowledged, leaks } = await soak(lab);
      expect(problems).toEqual([]);
      expect(Math.min(...acknowledged)).toBeGreaterThan(0);
      expect(leaks).toEqual([]);
    } catch (error) {
      report(await lab.logs());
      throw error;
    }
  },
  (minutes + 45) * 60_000,
);

/** What a soak has shown. */
interface Soaked {
  /** Of reads and writes of the clients. */
  readonly problems: readonly string[];
  /** Of each client. */
  readonly acknowledged: readonly number[];
  readonly leaks: readonly string[];
}

async function soak(lab: SoakLab): Promise<Soaked> {
  const fleet = await openFleet(lab);
  const start = lab.minutes;
  const samples: Sample[] = [];
  const measure = async (isAtRest: boolean) => {
    const found = await lab.sample(start, isAtRest);
    samples.push(...found);
    for (const sample of found) report(lineOf(sample));
  };
  const troubles = new Troubles(lab, fleet, seededRandom(seed), start);
  while (lab.minutes - start < minutes) {
    const end = lab.minutes + disturbed;
    const all = Array.from({ length: atOnce }, () => troubles.strikeUntil(end));
    const struck = Promise.all(all);
    let isOver = false;
    const watched = struck.finally(() => {
      isOver = true;
    });
    watched.catch(() => undefined);
    for (let next = systemClock.monotonic() + samplingPeriod; !isOver; await systemClock.sleep(500)) {
      if (systemClock.monotonic() < next) continue;
      next += samplingPeriod;
      await measure(false);
    }
    await watched;
    await allSettled(fleet);
    await systemClock.sleep(rest * 60_000);
    for (let index = 0; index < 3; index++) {
      await measure(true);
      await systemClock.sleep(5_000);
    }
    for (const growth of growthOf(samples)) report(wordsOf(growth));
    if (file) await writeFile(file, picture(samples));
  }
  await allSettled(fleet);
  const histories = await Promise.all(fleet.map(({ client }) => client.stop()));
  report(`${troubles.count} faults and edits: ${troubles.summary}`);
  report(`started again after a lost lease: ${lab.restarted.join(', ') || 'none'}`);
  return {
    problems: histories.flatMap(({ problems }) => problems),
    acknowledged: histories.map(({ acknowledged }) => acknowledged),
    leaks: leaksIn(samples),
  };
}

/** Chooses what happens next, and to whom. No two things happen to the same cluster at a time. */
class Troubles {
  count = 0;
  readonly #lab: SoakLab;
  readonly #fleet: readonly Resident[];
  readonly #random: Random;
  readonly #start: number;
  readonly #busy = new Set<Resident>();
  readonly #done = new Map<string, number>();

  constructor(lab: SoakLab, fleet: readonly Resident[], random: Random, start: number) {
    this.#lab = lab;
    this.#fleet = fleet;
    this.#random = random;
    this.#start = start;
  }

  get summary(): string {
    return [...this.#done].map(([name, times]) => `${times} × ${name}`).join(', ');
  }

  async strikeUntil(end: number): Promise<void> {
    while (this.#lab.minutes < end) {
      const trouble = this.#next();
      const free = this.#fleet.filter((one) => !this.#busy.has(one));
      const victim = free[Math.floor(this.#random.next() * free.length)];
      if (!victim) throw new Error('every cluster is busy');
      this.#busy.add(victim);
      await this.#strike(trouble, victim);
      this.#busy.delete(victim);
      await systemClock.sleep(2_000 + this.#random.next() * 6_000);
    }
  }

  async #strike(trouble: Trouble, { cluster, spec }: Resident): Promise<void> {
    const number = ++this.count;
    this.#done.set(trouble.name, (this.#done.get(trouble.name) ?? 0) + 1);
    const begun = systemClock.monotonic();
    try {
      await trouble.strike({ lab: this.#lab, random: this.#random, victim: cluster, spec, number });
      // A status may be older than what was just done.
      await systemClock.sleep(3_000);
      await cluster.settled(patience);
    } catch (error) {
      const status = await cluster.get().then(
        (found) => JSON.stringify(found.status),
        () => 'gone',
      );
      throw new Error(`${trouble.name}, ${cluster.name}: ${String(error)}\n${status}`, { cause: error });
    }
    const took = ((systemClock.monotonic() - begun) / 1_000).toFixed(1);
    report(`${(this.#lab.minutes - this.#start).toFixed(1)} min: ${trouble.name} (${cluster.name}), ${took} s`);
  }

  /** Every other one is an edit. */
  #next(): Trouble {
    const all = (this.#random.next() < 0.5 ? faults : edits).flatMap((one) => Array<Trouble>(one.weight).fill(one));
    const found = all[Math.floor(this.#random.next() * all.length)];
    if (!found) throw new Error('there is nothing to do');
    return found;
  }
}

function lineOf(sample: Sample): string {
  const { at, pod, isAtRest, resident, proportional, heap, external, sockets, timers, handles, watches } = sample;
  const megabytes = [resident, proportional, heap, external].map((bytes) => (bytes / 1e6).toFixed(2)).join('/');
  const open = `${sockets} sockets, ${timers} timers, ${handles} handles, ${watches} watches`;
  return `${at.toFixed(1)} min${isAtRest ? ' at rest' : ''} ${pod.slice(-5)}: ${megabytes} MB, ${open}`;
}

function wordsOf({ pod, resident, heap, over }: Growth): string {
  return `${pod}: ${resident.toFixed(2)} MB per hour resident, ${heap.toFixed(2)} of heap, over ${over.toFixed(0)} min`;
}
