// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { descendants, isAlive, PlaygroundProcess } from './testing/playground-process.ts';

const root = resolve(import.meta.dirname, '../../..');

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'playground-test-'));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

function start(): PlaygroundProcess {
  const playground = new PlaygroundProcess(['--plain', '--size', '1'], { ...process.env, TMPDIR: temporary });
  onTestFinished(() => void playground.child.kill('SIGKILL'));
  return playground;
}

/** The remains of a playground: processes that it started, files that it created. */
async function leftOf(pids: readonly number[]): Promise<readonly (number | string)[]> {
  const end = performance.now() + 60_000;
  for (;;) {
    const left = [...pids.filter(isAlive), ...readdirSync(temporary)];
    if (left.length === 0 || performance.now() > end) return left;
    await new Promise((done) => setTimeout(done, 100));
  }
}

const moments = [
  /etcd versions here/,
  /kube-lab is up/,
  /EtcdCluster example was created/,
  /Creating 0\/1/,
  / s {2}available/,
];

test.each(moments)(
  'Ctrl-C right after %s ends it quietly and leaves nothing',
  async (moment) => {
    const playground = start();
    await playground.says(moment);
    const below = descendants(playground.pid);
    expect({ status: await playground.end('SIGINT'), lines: playground.lines }).toMatchObject({ status: 0 });
    expect(playground.lines.filter((line) => /^\s+at |Error/.test(line))).toEqual([]);
    expect(await leftOf(below)).toEqual([]);
  },
  300_000,
);

test('SIGTERM to npm start ends the playground behind it', async () => {
  // npm leaves a cache in the folder for temporary files.
  const env = { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' };
  const npm = spawn('npm', ['start', '--', '--plain', '--size', '1'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void npm.kill('SIGKILL'));
  for await (const line of createInterface({ input: npm.stdout })) if (/ s {2}available/.test(line)) break;
  const below = descendants(npm.pid ?? 0);
  expect(below.length).toBeGreaterThan(3);
  npm.kill('SIGTERM');
  expect(await leftOf(below)).toEqual([]);
}, 300_000);

test('SIGKILL leaves neither processes nor files', async () => {
  const playground = start();
  await playground.says(/ s {2}available/);
  const below = descendants(playground.pid);
  await playground.end('SIGKILL');
  expect(await leftOf(below)).toEqual([]);
}, 300_000);
