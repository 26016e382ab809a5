// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensurePart } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { allProcesses, type ProcessIdentity, survivors, tree } from './node/testing/process-tree.ts';

const program = fileURLToPath(new URL('./node/testing/lab-program.ts', import.meta.url));
const busybox = (await ensurePart('busybox')).programs['busybox'] ?? '';
const labFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('kube-lab-'));

test('50 labs one after another leave no process, no mount and no file', async () => {
  const folders = new Set(labFolders());
  const child = spawn(process.execPath, [program, 'cycle', busybox, '50'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const seen = new Map<string, ProcessIdentity>();
  const directories: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    directories.push((JSON.parse(line) as { directory: string }).directory);
    for (const each of tree(child.pid ?? 0)) seen.set(`${each.pid} ${each.startTime}`, each);
  }
  expect(directories).toHaveLength(50);
  await expect.poll(() => survivors([...seen.values()]), { timeout: 5000 }).toEqual([]);
  expect(directories.filter((directory) => existsSync(directory))).toEqual([]);
  expect(labFolders().filter((name) => !folders.has(name))).toEqual([]);
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  expect(directories.filter((directory) => mounts.includes(directory))).toEqual([]);
  expect(allProcesses().filter(({ command }) => directories.some((directory) => command.includes(directory)))).toEqual(
    [],
  );
}, 600_000);

test('labs that are killed at any moment leave nothing', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const folders = new Set(labFolders());
    const child = spawn(process.execPath, [program, 'cycle', busybox, '5'], { stdio: ['ignore', 'ignore', 'inherit'] });
    await new Promise((resolve) => setTimeout(resolve, 300 + turn * 100));
    const all = tree(child.pid ?? 0);
    child.kill('SIGKILL');
    await expect.poll(() => survivors(all), { timeout: 15_000 }).toEqual([]);
    await expect.poll(() => labFolders().filter((name) => !folders.has(name)), { timeout: 15_000 }).toEqual([]);
  }
}, 600_000);
