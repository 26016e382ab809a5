// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lab, PlaygroundProcess, startLabCommand } from './testing/playground-process.ts';

let runtime: string;
let env: NodeJS.ProcessEnv;
let playground: PlaygroundProcess;
beforeAll(async () => {
  runtime = mkdtempSync(join(tmpdir(), 'playground-test-'));
  env = { ...process.env, XDG_RUNTIME_DIR: runtime };
  playground = new PlaygroundProcess(['--plain', '--size', '1'], env);
  await playground.says(/ s {2}available/);
});
afterAll(async () => {
  await playground.end('SIGINT');
  rmSync(runtime, { recursive: true, force: true });
}, 300_000);

const type = async (...words: string[]) => {
  const { status, text } = await lab(words, env);
  if (status !== 0) throw new Error(`lab ${words.join(' ')} ended with ${status}:\n${text}`);
  return text;
};

/** Starts a command that does not end, and ends it after this output. */
async function following(verb: string, pattern: RegExp): Promise<string> {
  const child = startLabCommand([verb], env);
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (pattern.test(text)) break;
  }
  child.kill('SIGINT');
  return text;
}

test('a second terminal looks, disturbs, applies and opens shells', async () => {
  expect(await type('status')).toContain('1 of 1 ready');
  expect(await type('shell', 'etcdctl', 'put', 'hello', 'world')).toBe('OK\n');
  expect(await type('cut', 'node-5')).toBe('node-5 was disconnected from the network\n');
  expect(await type('heal')).toBe('node-5 is back on the network\n');

  const file = join(runtime, 'other.yaml');
  writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-file\n');
  expect(await type('apply', file)).toBe('ConfigMap from-file was applied\n');
  const followed = await following(
    'events',
    /EtcdCluster example was created[\s\S]*you: ConfigMap from-file was applied/,
  );
  expect(followed).toContain('New Member Added');
  expect(await lab(['kill', 'nobody'], env)).toEqual({
    status: 1,
    text: 'member nobody is not running or does not exist\n',
  });
  expect(await lab(['renew'], env)).toMatchObject({
    status: 1,
    text: expect.stringContaining('has not lost its data'),
  });
  expect(await lab(['resize', '9'], env)).toMatchObject({ status: 2, text: expect.stringContaining('1 to 7') });
  expect(await lab(['dance'], env)).toMatchObject({
    status: 2,
    text: expect.stringContaining('unknown command "dance"'),
  });
}, 300_000);

test('a backup is made and restored, and the cluster upgraded', async () => {
  await type('shell', 'etcdctl', 'put', 'kept', 'yes');
  expect(await type('backup')).toMatch(/backed up to backups\/example-1, revision \d+/);
  const place = ['--s3-path', 'backups/by-hand', '--aws-secret', 'playground-s3', '--wait'];
  const words = ['backup', 'create', 'example', '--name', 'by-hand', ...place];
  expect(await type('shell', 'kubectl-etcd', ...words)).toContain('EtcdBackup by-hand has succeeded: backups/by-hand');
  await type('shell', 'etcdctl', 'put', 'lost', 'yes');
  expect(await type('restore')).toBe('restored from backups/example-1\n');
  expect(await type('shell', 'etcdctl', 'get', 'kept', '--print-value-only')).toBe('yes\n');
  expect(await type('shell', 'etcdctl', 'get', 'lost')).toBe('');

  expect(await type('upgrade', '3.7')).toMatch(/spec\.version is 3\.7\.\d+/);
  await playground.says(/Member Upgraded: Member example-\w+ upgraded from 3\.6\.\d+ to 3\.7\.\d+/);
}, 300_000);
