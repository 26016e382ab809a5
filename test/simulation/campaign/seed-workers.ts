// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a seed went. */
export interface SeedReport {
  readonly seed: number;
  readonly isLost: boolean;
  readonly virtualSeconds: number;
  readonly cpuSeconds: number;
  /** What a person needs to know of a failure; undefined if there was none. */
  readonly story: string | undefined;
}

export interface SeedRange {
  readonly first: number;
  readonly last: number;
  readonly workers: number;
  /** Told of every seed that has ended, and of the lowest that has not: whoever goes on begins with it. */
  readonly onReport: (report: SeedReport, next: number) => void;
  /** After so many failures no more seeds are begun. */
  readonly mostFailures: number;
}

const program = fileURLToPath(new URL('seed-worker.ts', import.meta.url));

/** Runs a range of seeds, each in one of several processes. */
export async function runSeeds({ first, last, workers, onReport, mostFailures }: SeedRange): Promise<void> {
  const underWay = new Set<number>();
  let next = first;
  let failures = 0;
  const take = (): number | undefined => {
    if (next > last || failures >= mostFailures) return undefined;
    underWay.add(next);
    return next++;
  };
  const finish = (report: SeedReport) => {
    underWay.delete(report.seed);
    if (report.story !== undefined) failures++;
    onReport(report, Math.min(next, ...underWay));
  };
  // Most objects live for a moment: with a larger young generation they are seldom looked at.
  const execArgv = ['--max-semi-space-size=32'];
  const processes = Array.from({ length: workers }, () => fork(program, { execArgv }));
  try {
    await Promise.all(processes.map((process) => feed(process, take, finish)));
  } finally {
    for (const process of processes) process.kill();
  }
}

function feed(
  worker: ChildProcess,
  take: () => number | undefined,
  finish: (report: SeedReport) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let seed: number | undefined;
    const goOn = () => {
      seed = take();
      if (seed === undefined) resolve();
      else worker.send(seed);
    };
    worker.on('message', (report: SeedReport) => {
      finish(report);
      goOn();
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the process that ran seed ${seed} ended with ${code}`)));
    goOn();
  });
}
