// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = '/sys/fs/cgroup';

/** The cgroup hierarchies of this machine: one with cgroup v2, one per controller with v1. */
async function hierarchies(): Promise<readonly string[]> {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root];
  const names = await readdir(root, { withFileTypes: true });
  // A link is another name of an existing one.
  return names.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}

/** Creates the parent cgroup of all pods, with all controllers. */
export async function createCgroup(path: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    const group = join(hierarchy, path);
    await mkdir(group, { recursive: true });
    if (hierarchy === root) await enableControllers(group);
  }
}

async function enableControllers(group: string): Promise<void> {
  for (const folder of [root, group]) {
    const names = (await readFile(join(folder, 'cgroup.controllers'), 'utf8')).trim().split(' ');
    for (const name of names) {
      // The kubelet does not need a controller that this machine cannot delegate.
      await writeFile(join(folder, 'cgroup.subtree_control'), `+${name}`).catch(() => undefined);
    }
  }
}

/** Removes the cgroup with all its children. Its processes must have ended. */
export async function removeCgroup(path: string): Promise<void> {
  for (const hierarchy of await hierarchies()) {
    const group = join(hierarchy, path);
    if (existsSync(group)) await removeTree(group);
  }
}

async function removeTree(group: string): Promise<void> {
  for (const entry of await readdir(group, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeTree(join(group, entry.name));
  }
  await removeEmpty(group);
}

async function removeEmpty(group: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const code = await rmdir(group).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === undefined || code === 'ENOENT') return;
    // A process counts for a moment after its end.
    if (code !== 'EBUSY' || attempt >= 100) throw new Error(`the control group ${group} cannot be removed (${code})`);
    await sleep(50);
  }
}
