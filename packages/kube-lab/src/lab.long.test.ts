// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, expect, test } from 'vitest';
import { allProcesses, type ProcessIdentity, survivors, tree } from './node/testing/process-tree.ts';

const program = fileURLToPath(new URL('./node/testing/lab-program.ts', import.meta.url));
const busybox = (await ensurePart('busybox')).programs['busybox'] ?? '';
/** A folder of its own: everything in it was left by these labs. */
const home = mkdtempSync(join(tmpdir(), 'kube-lab-long-'));
const env = { ...process.env, TMPDIR: home };

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('50 labs one after another leave no process, no mount and no file', async () => {
  const child = spawn(process.execPath, [program, 'cycle', busybox, '50'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen = new Map<string, ProcessIdentity>();
  const directories: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    directories.push((JSON.parse(line) as { directory: string }).directory);
    for (const each of tree(child.pid ?? 0)) seen.set(`${each.pid} ${each.startTime}`, each);
  }
  expect(directories).toHaveLength(50);
  await expect.poll(() => survivors([...seen.values()]), { timeout: 5000 }).toEqual([]);
  expect(directories.filter((directory) => existsSync(directory))).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  expect(directories.filter((directory) => mounts.includes(directory))).toEqual([]);
  expect(allProcesses().filter(({ command }) => directories.some((directory) => command.includes(directory)))).toEqual(
    [],
  );
}, 600_000);

test('labs that are killed at any moment leave nothing', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const child = spawn(process.execPath, [program, 'cycle', busybox, '5'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await new Promise((resolve) => setTimeout(resolve, 300 + turn * 100));
    const all = tree(child.pid ?? 0);
    child.kill('SIGKILL');
    await expect.poll(() => survivors(all), { timeout: 15_000 }).toEqual([]);
    await expect.poll(() => readdirSync(home), { timeout: 15_000 }).toEqual([]);
  }
}, 600_000);
