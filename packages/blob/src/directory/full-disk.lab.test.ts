// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const run = promisify(execFile);

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blob-full-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Runs a program with a store on a separate disk, created with these mount options; returns its output as JSON. */
async function onDisk(options: string, program: string): Promise<unknown> {
  const source = `
    import { readdir } from 'node:fs/promises';
    import { openStore } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
    const root = ${JSON.stringify(directory)};
    const store = await openStore({ kind: 'directory', root, partBytes: 256 * 1024 });
    async function* body(mebibytes) {
      for (let sent = 0; sent < mebibytes * 16; sent++) yield Buffer.alloc(65536, sent);
    }
    const outcome = (promise) => promise.then(() => 'done', (error) => error.code);
    const list = () => readdir(root, { recursive: true });
    console.log(JSON.stringify(await (async () => { ${program} })()));`;
  const mount = `mount -t tmpfs -o ${options} tmpfs "$1" && shift && exec "$@"`;
  const node = [process.execPath, '--input-type=module', '--eval', source];
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', directory, ...node];
  const { stdout } = await run('unshare', args, { timeout: 60_000 });
  return JSON.parse(stdout);
}

describe('refused, throttled, skewed, full', () => {
  test('a disk that becomes full is named, nothing stays of what did not fit, and what was there is there', async () => {
    const result = await onDisk(
      'size=2m',
      `await store.put('a/old', body(1));
     const failed = await outcome(store.put('a/old', body(4)));
     const other = await outcome(store.put('b/new', body(4)));
     return { failed, other, files: await list(), bytes: (await store.stat('a/old')).bytes };`,
    );
    expect(result).toEqual({ failed: 'NoSpace', other: 'NoSpace', files: ['a', 'a/old'], bytes: 1 << 20 });
  });

  test('a disk without free file names is full too', async () => {
    const result = await onDisk(
      'size=2m,nr_inodes=3',
      `const outcomes = [];
     for (const key of ['a', 'b', 'c']) outcomes.push(await outcome(store.put(key, body(0))));
     return { outcomes, files: await list() };`,
    );
    expect(result).toEqual({ outcomes: ['done', 'done', 'NoSpace'], files: ['a', 'b'] });
  });

  test('a disk that may only be read is a refusal', async () => {
    const result = await onDisk(
      'size=2m,ro',
      `return [await outcome(store.put('a', body(0))), await outcome(store.put('a', body(1))), await list()];`,
    );
    expect(result).toEqual(['Denied', 'Denied', []]);
  });
});
