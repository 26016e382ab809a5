// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { mutated, whyStale } from './mutant.ts';

const mutant = { name: 'n', breaks: 'b', file: 'f.ts', text: 'a < b', replacement: "a < $'b" };

test('its text must stand in its file, once', () => {
  expect(whyStale(mutant, 'if (a < b) c();')).toBeUndefined();
  expect(whyStale(mutant, 'if (a <= b) c();')).toBe('its text stands 0 times in f.ts, not once');
  expect(whyStale(mutant, 'a < b; a < b')).toBe('its text stands 2 times in f.ts, not once');
  expect(whyStale(mutant, undefined)).toBe('f.ts does not exist');
});

test('the replacement is taken as it is written', () => {
  expect(mutated(mutant, 'if (a < b) c();')).toBe("if (a < $'b) c();");
});
