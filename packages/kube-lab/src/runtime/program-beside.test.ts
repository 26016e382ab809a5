// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { programBeside } from './program-beside.ts';

test('a program has the suffix of the module that starts it', () => {
  const source = new URL('file:///lab/runtime/agent/main.ts');
  expect(programBeside('file:///lab/runtime/a.ts', source)).toBe('/lab/runtime/agent/main.ts');
  expect(programBeside('file:///lab/runtime/a.js', source)).toBe('/lab/runtime/agent/main.js');
});
