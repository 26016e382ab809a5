// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { settle } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { all } from '../testing/bodies.ts';
import { beforeAbort, interruptible } from './interruptible.ts';

async function* numbers(log: string[]) {
  try {
    yield 1;
    yield 2;
  } finally {
    log.push('closed');
  }
}

describe('interruptible', () => {
  test('passes on what comes', async () => {
    const log: string[] = [];
    expect(await all(interruptible(numbers(log), new AbortController().signal))).toEqual([1, 2]);
    expect(log).toEqual(['closed']);
  });

  test('closes the source when the reader leaves', async () => {
    const log: string[] = [];
    for await (const number of interruptible(numbers(log), new AbortController().signal)) {
      expect(number).toBe(1);
      break;
    }
    await settle();
    expect(log).toEqual(['closed']);
  });

  test('abandons a source that sends nothing', async () => {
    const stop = new AbortController();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<number>>(() => {}) }) };
    const reading = all(interruptible(silent, stop.signal));
    await settle();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('passes on what the source throws, and survives one that fails while it is closed', async () => {
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error('broken')),
        return: () => Promise.reject(new Error('broken twice')),
      }),
    };
    await expect(all(interruptible(source, new AbortController().signal))).rejects.toThrow('broken');
    await settle();
  });

  test('survives a stream that fails without being read, and passes the error to a reader', async () => {
    const stream = new Readable({ read: () => {} });
    const unread = interruptible(stream, new AbortController().signal);
    stream.destroy(new Error('cut'));
    await new Promise((resolve) => stream.once('close', resolve));
    await expect(all(unread)).rejects.toThrow('cut');
  });
});

describe('beforeAbort', () => {
  test('settles as the promise does', async () => {
    const { signal } = new AbortController();
    expect(await beforeAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(beforeAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  test('a late rejection does no harm', async () => {
    const late = Promise.withResolvers<void>();
    await expect(beforeAbort(late.promise, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    late.reject(new Error('late'));
    await settle();
  });
});
