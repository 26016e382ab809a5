// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatIdentity, isAlive, ownIdentity, parseIdentity } from './process-identity.ts';

/** Set in the environment of every child of a build, so that orphans of a killed build can be recognised. */
export const buildMark = 'ETCD_OPERATOR_BUILD';

const prefix = '.building-';

/** Creates the directory in which a part is built, beside its final place, so that a rename completes it. */
export async function createBuildDirectory(parts: string, key: string): Promise<string> {
  const name = `${prefix}${key}~${formatIdentity(ownIdentity())}.${randomBytes(4).toString('hex')}`;
  const directory = join(parts, name);
  await mkdir(directory, { recursive: true });
  return directory;
}

/** Removes a build's directory after ending processes that still write there. */
export async function removeBuildDirectory(directory: string): Promise<void> {
  await endMarkedProcesses(directory);
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes directories of builders that were killed. Those of living builders are kept. */
export async function removeLeftovers(parts: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(parts).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const owner = parseIdentity(/~(\d+\.\d+)\.[0-9a-f]{8}$/.exec(name)?.[1] ?? '');
    if (owner && isAlive(owner)) continue;
    await removeBuildDirectory(join(parts, name));
    removed.push(name);
  }
  return removed;
}

/** Ends processes whose environment names this directory as their build. Does nothing without /proc. */
async function endMarkedProcesses(directory: string): Promise<void> {
  const mark = `${buildMark}=${directory}`;
  const pids = await readdir('/proc').catch(() => []);
  for (const pid of pids) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(mark)) killIfThere(Number(pid));
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended before it was signalled.
  }
}
