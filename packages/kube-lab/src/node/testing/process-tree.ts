// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';

/** A process. Its start time distinguishes it from a later process with the same PID. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  readonly parent: number;
  readonly command: string;
}

/** All visible processes of the machine. Zombies do not count. */
export function allProcesses(): readonly ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (rest[0] === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), parent: Number(rest[1]), startTime: rest[19] ?? '', command }];
      } catch {
        return [];
      }
    });
}

/** A process and all its descendants. */
export function tree(root: number): readonly ProcessIdentity[] {
  const all = allProcesses();
  const found = all.filter(({ pid }) => pid === root);
  for (let index = 0; index < found.length; index++) {
    found.push(...all.filter(({ parent }) => parent === found[index]?.pid));
  }
  return found;
}

/** Those of the given processes that still exist. */
export function survivors(processes: readonly ProcessIdentity[]): readonly ProcessIdentity[] {
  const alive = new Set(allProcesses().map(({ pid, startTime }) => `${pid} ${startTime}`));
  return processes.filter(({ pid, startTime }) => alive.has(`${pid} ${startTime}`));
}
