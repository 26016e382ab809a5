// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises';

/** The load from elsewhere above which a round is not valid, in cores. */
export const tolerableLoad = 0.3;

/** Ends a measurement: how many cores other processes used meanwhile. NaN if the system does not report it. */
export type StopMeter = () => Promise<number>;

/** The kernel's clock ticks per second in /proc. */
const ticks = 100;

/** Starts to measure the load of other processes. Ours are this process and its descendants. */
export async function startMeter(): Promise<StopMeter> {
  const begun = performance.now();
  const before = await elsewhereSeconds();
  return async () => {
    const seconds = (performance.now() - begun) / 1000;
    return Math.max(0, (await elsewhereSeconds()) - before) / seconds;
  };
}

/** CPU seconds of the whole machine since its start, minus those of our processes. */
async function elsewhereSeconds(): Promise<number> {
  try {
    const [all, ours] = await Promise.all([readFile('/proc/stat', 'utf8'), ourTicks()]);
    const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] = numbers(all.split('\n', 1)[0]);
    return (user + nice + system + interrupts + soft + stolen - ours) / ticks;
  } catch {
    return Number.NaN;
  }
}

interface Process {
  readonly parent: number;
  readonly ticks: number;
}

/** Of this process and its descendants, including ended ones that were waited for. */
async function ourTicks(): Promise<number> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = new Map<number, Process>();
  for (const name of names) {
    const found = await processOf(name);
    if (found) all.set(Number(name), found);
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(all.get(pid)?.parent ?? 0));
  return [...all].filter(([pid]) => isOurs(pid)).reduce((sum, [, found]) => sum + found.ticks, 0);
}

async function processOf(pid: string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before the closing parenthesis may contain any character.
  const fields = numbers(text.slice(text.lastIndexOf(')') + 2));
  const [, parent = 0] = fields;
  return { parent, ticks: fields.slice(11, 15).reduce((sum, value) => sum + value, 0) };
}

function numbers(line = ''): readonly number[] {
  return line
    .replace(/^cpu\s+/, '')
    .split(' ')
    .map(Number);
}
