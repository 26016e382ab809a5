// SPDX-License-Identifier: Apache-2.0
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FileFlush } from './file-flush.ts';

const mebibyte = 1024 * 1024;

/** A file whose syncs end when the test says so. */
function scene() {
  const calls: { readonly what: 'datasync' | 'sync'; readonly end: (error?: Error) => void }[] = [];
  const begin = (what: 'datasync' | 'sync') => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    calls.push({ what, end: (error) => (error ? reject(error) : resolve()) });
    return promise;
  };
  const flush = new FileFlush({ datasync: () => begin('datasync'), sync: () => begin('sync') });
  return { flush, calls, asked: () => calls.map(({ what }) => what) };
}

describe('flushing a file while it is written', () => {
  test('begins when many bytes are waiting, one at a time', async () => {
    const { flush, calls, asked } = scene();
    flush.written(31 * mebibyte);
    expect(asked()).toEqual([]);
    flush.written(mebibyte);
    expect(asked()).toEqual(['datasync']);
    flush.written(64 * mebibyte);
    expect(asked()).toEqual(['datasync']);
    calls[0]?.end();
    await flush.settled();
    flush.written(1);
    expect(asked()).toEqual(['datasync', 'datasync']);
  });

  test('ends with the whole file, after what is under way', async () => {
    const { flush, calls, asked } = scene();
    flush.written(32 * mebibyte);
    const finished = flush.finish();
    await turn();
    expect(asked()).toEqual(['datasync']);
    calls[0]?.end();
    await expect.poll(asked).toEqual(['datasync', 'sync']);
    calls[1]?.end();
    await finished;
  });

  test('one that failed on the way fails every later call, whatever the system says then', async () => {
    const { flush, calls, asked } = scene();
    flush.written(32 * mebibyte);
    calls[0]?.end(new Error('EIO'));
    await flush.settled();
    expect(() => flush.written(1)).toThrow('EIO');
    await expect(flush.finish()).rejects.toThrow('EIO');
    expect(asked()).toEqual(['datasync']);
  });

  test('one that failed at the end is not made good by another', async () => {
    const { flush, calls, asked } = scene();
    const finished = flush.finish();
    await expect.poll(asked).toEqual(['sync']);
    calls[0]?.end(new Error('EIO'));
    await expect(finished).rejects.toThrow('EIO');
    await expect(flush.finish()).rejects.toThrow('EIO');
    expect(asked()).toEqual(['sync']);
  });
});
