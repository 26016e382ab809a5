// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';

let root: string;

/** A minimal clone: the first step of every command, and one command. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'etcd-operator-run-'));
  mkdirSync(join(root, 'tools', 'test'), { recursive: true });
  copyFileSync(join(repositoryRoot, 'tools', 'run.mjs'), join(root, 'tools', 'run.mjs'));
  write('package.json', { name: 'clone', type: 'module', workspaces: ['packages/*'] });
  write('packages/one/package.json', { name: 'one', version: '0.1.0' });
  command("process.stdout.write(['ran', ...process.argv.slice(2)].join(' '));");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, content: object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${JSON.stringify(content)}\n`);
}

function command(code: string): void {
  writeFileSync(join(root, 'tools', 'test', 'main.ts'), code);
}

/** No package can be downloaded, and npm does not retry. */
const offline = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', npm_config_cache: '' };

function start(args: readonly string[]): ChildProcess {
  const env = { ...process.env, ...offline, npm_config_cache: join(root, '.cache') };
  return spawn(process.execPath, [join(root, 'tools', 'run.mjs'), ...args], { env, stdio: 'pipe' });
}

async function run(...args: string[]) {
  const child = start(args);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, status: status as number };
}

describe('the first step of every command', { timeout: 60_000 }, () => {
  test('installs, then runs the program with its arguments', async () => {
    const { stdout, stderr, status } = await run('test', 'one', 'two');
    expect({ status, ran: stdout.endsWith('ran one two') }).toEqual({ status: 0, ran: true });
    expect(stderr).toContain('Installing npm packages');
  });

  test('does not install again once all is in place', async () => {
    await run('test');
    await run('test');
    expect((await run('test')).stderr).toBe('');
  });

  test('installs again when a package.json has changed', async () => {
    await run('test');
    await run('test');
    write('packages/new/package.json', { name: 'new', version: '0.1.0' });
    expect((await run('test')).stderr).toContain('Installing npm packages');
  });

  test('two first runs at once install once, and both run', async () => {
    const both = await Promise.all([run('test'), run('test')]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(both.filter(({ stderr }) => stderr.includes('Installing')).length).toBe(1);
  });

  test('hands on the status of the program', async () => {
    command('process.exitCode = 7;');
    expect((await run('test')).status).toBe(7);
  });

  test('hands on a request to stop', async () => {
    command(
      "process.on('SIGTERM', () => process.exit(9));\nsetInterval(() => {}, 1000);\nprocess.stdout.write('ready');",
    );
    const child = start(['test']);
    for await (const chunk of child.stdout as NodeJS.ReadableStream) if (String(chunk).endsWith('ready')) break;
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([9, null]);
  });

  test('an unreachable registry ends in a sentence that says what to do, and the next run tries again', async () => {
    write('package.json', {
      name: 'clone',
      type: 'module',
      workspaces: ['packages/*'],
      dependencies: { nowhere: '1.0.0' },
    });
    const { stderr, status } = await run('test');
    expect(status).toBe(1);
    expect(stderr).toContain('npm install failed');
    expect(stderr).toContain('check the network or the registry');
    expect(existsSync(join(root, 'node_modules', '.etcd-operator-install'))).toBe(false);
    write('package.json', { name: 'clone', type: 'module', workspaces: ['packages/*'] });
    expect((await run('test')).status).toBe(0);
  });

  test('a lock whose owner is gone is taken over', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    mkdirSync(join(root, '.install-lock'));
    writeFileSync(join(root, '.install-lock', 'pid'), String(child.pid));
    expect((await run('test')).status).toBe(0);
  });

  test('an unknown command is answered with those there are', async () => {
    const { stderr, status } = await run('fly');
    expect(status).toBe(1);
    expect(stderr).toContain('there is no command "fly"; known are: start, test');
  });
});
