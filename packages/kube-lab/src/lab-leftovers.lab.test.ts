// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensurePart } from '@etcd-operator/tools';
import { expect, onTestFinished, test } from 'vitest';
import { type ProcessIdentity, survivors, tree } from './node/testing/process-tree.ts';

const program = fileURLToPath(new URL('./node/testing/lab-program.ts', import.meta.url));
/** A long limit for a busy machine. */
const patience = { timeout: 60_000 };
const busybox = (await ensurePart('busybox')).programs['busybox'] ?? '';

async function holdLab(): Promise<{ child: ChildProcess; directory: string; all: readonly ProcessIdentity[] }> {
  const child = spawn(process.execPath, [program, 'hold', busybox], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { directory } = JSON.parse(line) as { directory: string };
  // A running container is a process that may not have started its own program yet.
  const sleepers = () => tree(child.pid ?? 0).filter(({ command }) => command === 'sleep 1000');
  await expect.poll(sleepers, patience).toHaveLength(2);
  return { child, directory, all: tree(child.pid ?? 0) };
}

const find = (all: readonly ProcessIdentity[], match: (command: string) => boolean): ProcessIdentity => {
  const found = all.find(({ command }) => match(command));
  if (!found) throw new Error(`no such process among: ${all.map(({ command }) => command).join('; ')}`);
  return found;
};

/** Which process is killed, by its command line. */
const victims: Readonly<Record<string, (command: string) => boolean>> = {
  'the visible process': (command) => command.includes('lab-program.ts hold'),
  'the process that made the namespace': (command) => /unshare .*--mount-proc/.test(command),
  'the first process inside': (command) => /^\S*sh -c .*agent\/main\.ts/.test(command),
  'the agent': (command) => /^\S*node\S* \S*agent\/main\.ts( IPv\d)+$/.test(command),
};

test.each(Object.keys(victims))('SIGKILL of %s leaves no process and no mount', async (name) => {
  const { child, directory, all } = await holdLab();
  const isVictim = victims[name];
  expect(all.length).toBeGreaterThan(6);
  expect(existsSync(directory)).toBe(true);
  const inside = all.filter(({ command }) => /agent\/main\.ts|unshare|sleep 1000/.test(command));
  process.kill(find(all, (command) => isVictim?.(command) === true).pid, 'SIGKILL');
  await expect.poll(() => survivors(inside), patience).toEqual([]);
  child.kill('SIGKILL');
  await expect.poll(() => survivors(all), patience).toEqual([]);
  await expect.poll(() => existsSync(directory), patience).toBe(false);
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(directory);
});

test('a visible process that is stopped and then killed takes everything along', async () => {
  const { child, directory, all } = await holdLab();
  const agent = find(all, (command) => victims['the agent']?.(command) === true);
  process.kill(agent.pid, 'SIGSTOP');
  child.kill('SIGKILL');
  await expect.poll(() => survivors(all), patience).toEqual([]);
  await expect.poll(() => existsSync(directory), patience).toBe(false);
});

test('labs that are stopped leave nothing', async () => {
  const child = spawn(process.execPath, [program, 'cycle', busybox, '5'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const directories: string[] = [];
  const seen = new Map<string, ProcessIdentity>();
  for await (const line of createInterface({ input: child.stdout })) {
    directories.push((JSON.parse(line) as { directory: string }).directory);
    for (const each of tree(child.pid ?? 0)) seen.set(`${each.pid} ${each.startTime}`, each);
  }
  expect(directories).toHaveLength(5);
  await expect.poll(() => survivors([...seen.values()]), patience).toEqual([]);
  expect(directories.filter((directory) => existsSync(directory))).toEqual([]);
});
