// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** A process that is not confused with a later one of the same pid: on Linux the kernel's start time tells them apart. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process; '0' where the system does not tell. */
  readonly startTime: string;
}

/** The process that runs this code. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? '0' };
}

/** The process that has this pid now; undefined if there is none, or a zombie. Linux only. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** Does this very process still run? A zombie does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // Someone else's process exists but may not be signalled.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return identity.startTime === '0' || startTimeOf(identity.pid) === identity.startTime;
}

/** As it stands in a file name; `parseIdentity` reads it back. */
export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid}.${identity.startTime}`;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, startTime] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  return pid !== undefined && startTime !== undefined ? { pid: Number(pid), startTime } : undefined;
}

function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold blanks and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
