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
  directory = await mkdtemp(join(tmpdir(), 'blob-frozen-'));
});
afterEach(() => rm(directory, { recursive: true }));

/**
 * Runs a program with a store on a volume that accepts every request and answers none, like a network file system
 * without its server: a FUSE mount whose server is not started.
 */
async function onFrozenVolume(program: string): Promise<unknown> {
  const source = `
    import { lookup } from 'node:dns/promises';
    import { stat } from 'node:fs/promises';
    import { openStore } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
    const root = ${JSON.stringify(directory)};
    const retry = { requestTimeoutMs: 200, attempts: 2, firstDelayMs: 1 };
    const store = await openStore({ kind: 'directory', root }, { retry });
    async function* body() {
      for (let sent = 0; sent < 64; sent++) yield Buffer.alloc(65536, sent);
    }
    const all = async (items) => { for await (const _ of items); };
    const started = performance.now();
    const outcome = (promise) => promise.then(() => 'done', (error) => error.code);
    const result = await (async () => { ${program} })();
    console.log(JSON.stringify({ ...result, isInTime: performance.now() - started < 15_000 }));
    process.kill(process.pid, 'SIGKILL');`;
  const mount =
    'exec 3<>/dev/fuse && mount -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$1" && shift && "$@"; true';
  const node = [process.execPath, '--input-type=module', '--eval', source];
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', directory, ...node];
  const { stdout } = await run('unshare', args, { timeout: 60_000 });
  return JSON.parse(stdout);
}

describe('no answer at all', () => {
  test('a volume that does not answer keeps no caller beyond its time limit, in any call', async () => {
    const result = await onFrozenVolume(
      `const calls = [store.stat('a'), store.delete('a'), store.put('a', body()), all(store.get('a')), all(store.list('')), store.sweep('', 0)];
     return { outcomes: await Promise.all(calls.map(outcome)) };`,
    );
    expect(result).toEqual({ outcomes: Array.from({ length: 6 }, () => 'Timeout'), isInTime: true });
  });

  test('a caller who stops gets an answer, and other files and host names have threads left', async () => {
    const result = await onFrozenVolume(
      `const signal = AbortSignal.timeout(100);
     const patient = await openStore({ kind: 'directory', root });
     const calls = Array.from({ length: 20 }, () => patient.put('a', body(), { signal }));
     const outcomes = new Set(await Promise.all(calls.map(outcome)));
     return { outcomes: [...outcomes], file: await outcome(stat('/proc')), name: await outcome(lookup('127.0.0.1')) };`,
    );
    expect(result).toEqual({ outcomes: ['Aborted'], file: 'done', name: 'done', isInTime: true });
  });
});
