// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BlobError } from './blob-error.ts';
import type { BlobStore } from './blob-store.ts';
import { openDirectory } from './directory/open-directory.ts';
import { createStore } from './store.ts';
import { bytesOf, chunked } from './testing/bodies.ts';
import { MemoryDriver } from './testing/memory-driver.ts';

let isLost: boolean;
const fence = () => {
  if (isLost) throw new Error('this process does not hold the lease');
};
beforeEach(() => {
  isLost = false;
});

const changes: readonly (readonly [string, (store: BlobStore) => Promise<unknown>])[] = [
  ['put', (store) => store.put('k', chunked(bytesOf(50), 10))],
  ['put in parts', (store) => store.put('k', chunked(bytesOf(500), 10))],
  ['delete', (store) => store.delete('k')],
  ['clear', (store) => store.clear('k')],
  ['sweep', (store) => store.sweep('', 0)],
];

describe('a store of a process that lost its lease', () => {
  test.each(changes)('is not asked to %s', async (_name, change) => {
    const driver = new MemoryDriver();
    const store = createStore(driver, { fence });
    isLost = true;
    await expect(change(store)).rejects.toMatchObject({
      code: 'Aborted',
      message: expect.stringMatching(/this process does not hold the lease/),
    });
    expect(driver.calls).toEqual([]);
  });

  test('is not asked again for what failed before', async () => {
    const driver = new MemoryDriver();
    driver.callFault = () => {
      isLost = true;
      return { when: 'before', error: new BlobError('Unavailable', 'a mishap') };
    };
    const clock = new VirtualClock();
    const deleted = createStore(driver, { fence, clock, random: seededRandom(1) }).delete('k');
    deleted.catch(() => undefined);
    await clock.advance(20_000);
    await expect(deleted).rejects.toMatchObject({ code: 'Aborted' });
    expect(driver.calls).toEqual(['remove']);
  });

  test('keeps the parts that it has: another process may write the same key by now', async () => {
    const driver = new MemoryDriver();
    driver.delay = async (operation) => {
      if (operation === 'part') isLost = true;
    };
    const put = createStore(driver, { fence }).put('k', chunked(bytesOf(500), 10));
    await expect(put).rejects.toMatchObject({ code: 'Aborted' });
    expect(driver.calls.filter((call) => ['abort', 'finish', 'clear'].includes(call))).toEqual(['clear']);
  });
});

describe('a directory of a process that lost its lease', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'blob-fence-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  /** The fence fails at its nth call: within a change that has several steps. */
  const lostAt = (nth: number) => {
    let asked = 0;
    return openDirectory(
      { root, partBytes: 100 },
      {
        fence: () => {
          asked += 1;
          if (asked >= nth) throw new Error('this process does not hold the lease');
        },
      },
    );
  };

  test.each([1, 2, 3, 4])('shows nothing new under a key, lost at step %i', async (nth) => {
    await openDirectory({ root }).put('k', chunked(bytesOf(10), 10));
    await expect(lostAt(nth).put('k', chunked(bytesOf(50), 10))).rejects.toThrow(
      'this process does not hold the lease',
    );
    expect((await openDirectory({ root }).stat('k')).bytes).toBe(10);
  });

  test.each([1, 2])('loses nothing, lost at step %i', async (nth) => {
    await openDirectory({ root }).put('k', chunked(bytesOf(10), 10));
    await expect(lostAt(nth).delete('k')).rejects.toThrow('this process does not hold the lease');
    expect(await readdir(root)).toEqual(['k']);
  });
});
