// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { liveProgress, type ProgressTime, plainProgress, seconds } from './progress.ts';

/** Time that the test advances. */
class HandTime implements ProgressTime {
  #now = 0;
  #timers = new Set<{ readonly period: number; readonly callback: () => void; next: number }>();

  now = () => this.#now;

  every = (period: number, callback: () => void) => {
    const timer = { period, callback, next: this.#now + period };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (const timer of this.#timers) {
      for (; timer.next <= end; timer.next += timer.period) {
        this.#now = timer.next;
        timer.callback();
      }
    }
    this.#now = end;
  }
}

describe('plain progress', () => {
  test('prints the start, a line every 15 s with what is being done, and the end', () => {
    const lines: string[] = [];
    const time = new HandTime();
    const task = plainProgress((line) => lines.push(line), time).begin('etcd@3.6 (3.6.16): building');
    time.pass(16_000);
    task.step('compiling etcd');
    time.pass(15_000);
    task.note('using something');
    task.end('etcd@3.6 (3.6.16): ready in 31 s, 63 MB');
    time.pass(60_000);
    expect(lines).toEqual([
      'etcd@3.6 (3.6.16): building ...',
      'etcd@3.6 (3.6.16): building: starting (15 s)',
      'etcd@3.6 (3.6.16): building: compiling etcd (30 s)',
      'etcd@3.6 (3.6.16): building: using something',
      'etcd@3.6 (3.6.16): ready in 31 s, 63 MB',
    ]);
  });
});

describe('live progress', () => {
  const clear = '\r\u001b[K';

  test('redraws one line each second and at each step, and leaves the closing line', () => {
    const written: string[] = [];
    const time = new HandTime();
    const task = liveProgress({ write: (text) => written.push(text), columns: 80 }, time).begin('tiny: building');
    time.pass(1500);
    task.step('compiling');
    task.end('tiny: ready');
    time.pass(5000);
    expect(written).toEqual([
      `${clear}tiny: building: starting (0.0 s)`,
      `${clear}tiny: building: starting (1.0 s)`,
      `${clear}tiny: building: compiling (1.5 s)`,
      `${clear}tiny: ready\n`,
    ]);
  });

  test('never wraps the line, and wipes it when there is nothing to say at the end', () => {
    const written: string[] = [];
    const task = liveProgress({ write: (text) => written.push(text), columns: 30 }, new HandTime()).begin(
      'x'.repeat(99),
    );
    task.end();
    expect(written).toEqual([clear + 'x'.repeat(29), clear]);
  });
});

test.each([
  [0, '0.0 s'],
  [4249, '4.2 s'],
  [9949, '9.9 s'],
  [9950, '10 s'],
  [72_400, '72 s'],
])('%i ms are written as %s', (milliseconds, text) => {
  expect(seconds(milliseconds)).toBe(text);
});
