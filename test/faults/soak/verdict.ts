// SPDX-License-Identifier: Apache-2.0
import type { Sample } from './held.ts';

/** Until then caches fill and code is compiled, in minutes. */
export const warmUp = 10;
/** The most that an operator may grow, in megabytes per hour. */
export const growthBar = 1;
/** Over less than this a slope says more about noise than about leaks, in minutes. */
export const shortestSlope = 30;
/** What may be open at one rest and not at another: a connection that is about to end, a request under way. */
const slack = { sockets: 3, timers: 3, handles: 4, watches: 2 } as const;

/** How an operator has grown. */
export interface Growth {
  readonly pod: string;
  /** Megabytes per hour, by least squares over the rests after the first minutes. */
  readonly resident: number;
  readonly heap: number;
  /** How many minutes it was looked at. */
  readonly over: number;
}

export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const judged = samples.filter(({ at, isAtRest }) => isAtRest && at >= warmUp);
  return Object.entries(Object.groupBy(judged, ({ pod }) => pod)).map(([pod, own = []]) => ({
    pod,
    resident: perHour(own.map(({ at, resident }) => [at, resident / 1e6])),
    heap: perHour(own.map(({ at, heap }) => [at, heap / 1e6])),
    over: (own.at(-1)?.at ?? 0) - (own[0]?.at ?? 0),
  }));
}

/** What is wrong with how the operators held memory, sockets, watches and timers. */
export function leaksIn(samples: readonly Sample[]): readonly string[] {
  return [...growthOf(samples).flatMap(grows), ...heldFor(samples)];
}

function grows({ pod, resident, heap, over }: Growth): readonly string[] {
  if (over < shortestSlope) return [];
  return Object.entries({ resident, heap })
    .filter(([, slope]) => slope > growthBar)
    .map(([what, slope]) => `${pod}: ${what} memory grows by ${slope.toFixed(2)} MB per hour, bar ${growthBar}`);
}

/** At every rest the same clusters are there in the same state: what is open at the last and was not at the first has leaked. */
function heldFor(samples: readonly Sample[]): readonly string[] {
  const rests = samples.filter(({ at, isAtRest }) => isAtRest && at >= warmUp);
  const pods = Object.values(Object.groupBy(rests, ({ pod }) => pod)).map((own = []) => own);
  return pods.flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last) return [];
    const least = (of: Sample, what: keyof typeof slack) =>
      Math.min(...own.filter(({ at }) => Math.abs(at - of.at) < 1).map((sample) => sample[what]));
    return (Object.keys(slack) as (keyof typeof slack)[]).flatMap((what) => {
      const [before, after] = [least(first, what), least(last, what)];
      return after > before + slack[what]
        ? [`${first.pod}: ${before} ${what} at minute ${first.at.toFixed(0)}, ${after} at minute ${last.at.toFixed(0)}`]
        : [];
    });
  });
}

/** The slope of the line with the least squares, for minutes on the one axis. */
function perHour(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  const under = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return under === 0 ? 0 : (60 * over) / under;
}
