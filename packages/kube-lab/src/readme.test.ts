// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the example in the README is the test that is run here', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
  const [, shown] = /```ts\n(import .*?)```/s.exec(read('../README.md')) ?? [];
  expect(read('readme-example.test.ts')).toBe(`// SPDX-License-Identifier: Apache-2.0\n${shown}`);
});
