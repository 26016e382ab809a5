// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { ProcessIdentity } from '../parts/build/process-identity.ts';

/** A process of the cluster itself, not of one of its containers. */
export interface InsideProcess {
  readonly pid: number;
  /** At most 15 characters, the kernel's limit. */
  readonly program: string;
}

/** The processes in the cluster's own process namespace; those of containers are in other namespaces. */
export async function insideProcesses(init: ProcessIdentity): Promise<readonly InsideProcess[]> {
  const own = await namespaceOf(init.pid);
  if (own === undefined) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      if ((await namespaceOf(pid)) !== own) return [];
      const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      return program === '' ? [] : [{ pid, program: program.trim() }];
    }),
  );
  return found.flat();
}

function namespaceOf(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
}
