// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lab, PlaygroundProcess } from './testing/playground-process.ts';

let runtime: string;
beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'playground-test-'));
});
afterEach(() => rmSync(runtime, { recursive: true, force: true }));

test('with --keep the next playground goes on where the last one ended', async () => {
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime };
  const folder = join(runtime, 'kept');
  const start = async () => {
    const playground = new PlaygroundProcess(['--plain', '--size', '1', '--keep', folder], env);
    await playground.says(/ s {2}available/);
    await playground.says(/npm run lab/);
    return playground;
  };
  const first = await start();
  expect((await lab(['backup'], env)).text).toMatch(/^backed up to backups\/example-1, /);
  expect((await lab(['shell', 'etcdctl', 'put', 'kept', 'yes'], env)).text).toBe('OK\n');
  expect(await first.end('SIGINT')).toBe(0);
  expect(statSync(join(folder, 'default', 'kept.snapshot')).mode & 0o777).toBe(0o600);

  const second = await start();
  await second.says(/RestoreSucceeded/);
  const read = await lab(['shell', 'etcdctl', 'get', 'kept', '--print-value-only'], env);
  expect(read).toEqual({ status: 0, text: 'yes\n' });
  // The backups exist as well, and the next one gets the next name.
  expect(await lab(['restore'], env)).toEqual({ status: 0, text: 'restored from backups/example-1\n' });
  expect((await lab(['shell', 'etcdctl', 'get', 'kept'], env)).text).toBe('');
  expect((await lab(['backup'], env)).text).toMatch(/^backed up to backups\/example-2, /);
  expect(await second.end('SIGTERM')).toBe(0);
}, 300_000);

test('a folder that holds something else is refused', async () => {
  writeFileSync(join(runtime, 'cluster.json'), 'not ours');
  const playground = new PlaygroundProcess(['--once', '--keep', runtime], process.env);
  await expect(playground.says(/available/)).rejects.toThrow('was not written by a playground');
  expect(await playground.end('SIGTERM')).toBe(2);
}, 300_000);

test.each([
  [['--keep', '/dev/null/kept'], 'the folder cannot be created'],
  [['--keep', '/dev/null'], 'the folder cannot be created'],
  [['--file', 'no-such-file.yaml'], 'cannot be read'],
  [['--file', 'package.json'], 'every object needs apiVersion'],
])(
  '%j is refused before anything is started',
  async (words, message) => {
    const playground = new PlaygroundProcess(['--once', ...words], process.env);
    await expect(playground.says(/kube-lab is up/)).rejects.toThrow(message);
    expect(await playground.end('SIGTERM')).toBe(2);
  },
  300_000,
);
