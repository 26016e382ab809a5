// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** A process, distinguished from a later one with the same pid by the kernel's start time (on Linux). */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and the start of the process; '0' if the system does not report it. */
  readonly startTime: string;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? '0' };
}

/** The process that has this pid now; undefined if there is none, or a zombie. Linux only. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** True if exactly this process still runs. False for a zombie. */
export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // Another user's process exists but may not be signalled.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return identity.startTime === '0' || startTimeOf(identity.pid) === identity.startTime;
}

/** The form in file names; `parseIdentity` parses it. */
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
    // The second field is the program's name in brackets and may contain blanks and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
