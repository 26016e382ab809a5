// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { describeCombined, nothingCombined, withMessage } from './combined-messages.ts';

const combined = (...messages: readonly string[]) => describeCombined(messages.reduce(withMessage, nothingCombined));

test('the messages keep their order, and an immediately repeated one is shown once', () => {
  expect(combined('a', 'b', 'b', 'a')).toBe('(combined from similar events): a; b; a');
});

test('what does not fit any more is counted, the oldest first', () => {
  const text = combined(...Array.from({ length: 50 }, (_, index) => `${index} ${'x'.repeat(100)}`));
  expect(text.length).toBeLessThanOrEqual(1024);
  expect(text).toMatch(/^\(combined from similar events\): 41 earlier; 41 x+; .*; 49 x+$/);
});

test('one message does not take the room of all others', () => {
  const text = combined('first', 'y'.repeat(5000), 'last');
  expect(text).toMatch(/: first; y+\.\.\.; last$/);
});
