// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { KeyHistory } from './key-history.ts';

function written(...values: readonly number[]): KeyHistory {
  const history = new KeyHistory();
  for (const value of values) {
    history.attempts(value);
    history.acknowledges(value);
  }
  return history;
}

test('reads that follow what was written are in order', () => {
  const history = written(1, 2);
  history.reads(history.mark(), 2);
  history.attempts(3);
  const mark = history.mark();
  history.acknowledges(3);
  history.reads(mark, 2);
  history.reads(history.mark(), 3);
  expect(history.problems).toEqual([]);
});

test('a write without an answer may be seen or not, and once seen it stays', () => {
  const history = written(1);
  history.attempts(2);
  history.reads(history.mark(), 1);
  history.reads(history.mark(), 2);
  history.reads(history.mark(), 1);
  expect(history.problems).toEqual(['1 was read after 2 was read']);
});

test('an acknowledged write that is lost is found', () => {
  const history = written(1, 2);
  history.reads(history.mark(), undefined);
  expect(history.problems).toEqual(['0 was read after 2 was acknowledged']);
});

test('a value that was never written is found', () => {
  const history = written(1);
  history.reads(history.mark(), 7);
  expect(history.problems).toEqual(['7 was read, and nothing beyond 1 was written']);
});
