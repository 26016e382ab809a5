// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { named } from './key-write.ts';

test('a key is named in full if it is short, and by its beginning and length if it is long', () => {
  expect(named(Buffer.from('/p/a'))).toBe('/p/a');
  expect(named(Buffer.from('k'.repeat(128)))).toBe('k'.repeat(128));
  expect(named(Buffer.from('k'.repeat(129)))).toBe(`${'k'.repeat(128)}... (129 bytes)`);
  const binary = named(Buffer.alloc(1_000_000, 0xfe));
  expect(binary).toMatch(/^"(\\xfe)+"\.\.\. \(1000000 bytes\)$/);
  expect(binary.length).toBeLessThan(600);
});
