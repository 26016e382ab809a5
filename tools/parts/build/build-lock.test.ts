// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock } from './build-lock.ts';
import { formatIdentity, ownIdentity } from './process-identity.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parts-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const quick = { pollMilliseconds: 1 };

describe('a lock', () => {
  test('is free at first, and leaves no file when released', async () => {
    const lock = await acquireLock(directory, 'part');
    expect(await readdir(directory)).toEqual([expect.stringContaining(`part.1.${formatIdentity(ownIdentity())}.`)]);
    await lock.release();
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  test('of another name does not matter, even one that begins alike', async () => {
    await using stack = new AsyncDisposableStack();
    for (const key of ['part', 'part.1', 'par']) {
      const lock = await acquireLock(directory, key);
      stack.defer(lock.release);
    }
    expect(await readdir(directory)).toHaveLength(3);
  });

  test('makes others wait, and the holder is named once', async () => {
    const holders: number[] = [];
    const first = await acquireLock(directory, 'part');
    const second = acquireLock(directory, 'part', { ...quick, onWait: ({ pid }) => holders.push(pid) });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await first.release();
    await (await second).release();
    expect(holders).toEqual([process.pid]);
    expect(await readdir(directory)).toEqual([]);
  });

  test('can be cancelled while waiting', async () => {
    const first = await acquireLock(directory, 'part');
    const controller = new AbortController();
    const second = acquireLock(directory, 'part', { signal: controller.signal, onWait: () => controller.abort() });
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(directory)).toHaveLength(1);
    await first.release();
  });

  test('of a dead process is free, even if its pid belongs to another process', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    await writeFile(join(directory, `part.1.${child.pid}.1.00000000`), '');
    await writeFile(join(directory, `part.2.${process.pid}.1.00000000`), '');
    const lock = await acquireLock(directory, 'part', { signal: AbortSignal.timeout(5000) });
    expect(await readdir(directory)).toHaveLength(1);
    await lock.release();
  });

  test('never has two holders and serves all callers, however acquiring and releasing interleave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 2, maxLength: 8 }), async (holds) => {
        let holders = 0;
        let most = 0;
        await Promise.all(
          holds.map(async (turns) => {
            const lock = await acquireLock(directory, 'part', quick);
            most = Math.max(most, ++holders);
            for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
            holders--;
            await lock.release();
          }),
        );
        expect(most).toBe(1);
        expect(await readdir(directory)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
