// SPDX-License-Identifier: Apache-2.0
import type { Ground } from './ground.ts';
import { type Outcome, run } from './run.ts';
import type { StrikeKind } from './strike.ts';
import type { Workload } from './workload.ts';

export interface SweepOptions {
  readonly kinds: readonly StrikeKind[];
  /** Runs at the same time: most of each is waiting. */
  readonly atOnce: number;
  /** Every so-manieth write is struck. @default 1 */
  readonly stride?: number;
  /** Hears of every run as it ends. */
  readonly report?: (line: string) => void;
}

/** What a sweep over all crash points of a workload has shown. */
export interface Sweep {
  readonly workload: string;
  /** Writes of the undisturbed run. */
  readonly writes: number;
  readonly points: number;
  readonly failures: readonly string[];
}

/**
 * Runs a workload undisturbed, and then once for each kind of strike at each write, until there are no more writes to strike. How many
 * there are differs a little: two changes of a status may be written as one.
 */
export async function sweep(ground: Ground, workload: Workload, options: SweepOptions): Promise<Sweep> {
  const undisturbed = await run(ground, workload);
  options.report?.(`${workload.name}: ${undisturbed.writes.join(', ')}`);
  const failures = undisturbed.problems.map((problem) => `undisturbed: ${problem}`);
  let points = 0;
  for (const kind of options.kinds) {
    let at = 1;
    let isOver = false;
    const strikeOn = async () => {
      while (!isOver) {
        const strike = { kind, at };
        at += options.stride ?? 1;
        const outcome = await run(ground, workload, strike, undisturbed.end).catch((error: unknown) => error as Error);
        if (!(outcome instanceof Error) && !outcome.hasStruck) {
          isOver = true;
          continue;
        }
        points++;
        const place = `${workload.name}: ${kind} at write ${strike.at}`;
        const found = differences(outcome, undisturbed).map((difference) => `${place}: ${difference}`);
        options.report?.(found.length > 0 ? found.join('\n') : `${place}: green`);
        failures.push(...found);
      }
    };
    await Promise.all(Array.from({ length: options.atOnce }, strikeOn));
  }
  return { workload: workload.name, writes: undisturbed.writes.length, points, failures };
}

/** What a run has ended in that the undisturbed one has not, and the other way round. */
export function differences(outcome: Outcome | Error, undisturbed: Outcome): readonly string[] {
  if (outcome instanceof Error) return [outcome.message];
  const more = without(outcome.end, undisturbed.end).map((line) => `there is also ${line}`);
  const less = without(undisturbed.end, outcome.end).map((line) => `there is no ${line}`);
  return [...outcome.problems, ...more, ...less].map((line) => `${line} (${outcome.writes.join(', ')})`);
}

/** Lines of the first that the second has not, as often as it has them. */
function without(first: readonly string[], second: readonly string[]): readonly string[] {
  const left = [...second];
  return first.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The table of a note: a line for each workload. */
export function tableOf(sweeps: readonly Sweep[]): string {
  const rows = sweeps.map(({ workload, writes, points, failures }) => {
    const broken = new Set(failures.map((failure) => failure.split(': ').slice(0, 2).join())).size;
    return [workload, String(writes), String(points), `${points - broken} of ${points}`];
  });
  const all = [['workload', 'writes', 'crash points', 'green'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
