// SPDX-License-Identifier: Apache-2.0
import { readdir, readlink } from 'node:fs/promises';

/** Freezes or continues every process of a container: all in the process namespace of its first process. */
export async function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const namespace = await readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
  if (namespace === undefined) return;
  const processes = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
  await Promise.all(
    processes.map(async (name) => {
      const own = await readlink(`/proc/${name}/ns/pid`).catch(() => undefined);
      if (own !== namespace) return;
      try {
        process.kill(Number(name), signal);
      } catch {
        // Nothing to do: the process has ended meanwhile.
      }
    }),
  );
}
