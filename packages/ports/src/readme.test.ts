// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lines, result } from './testing/readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the example in the README', () => {
  test('is the program that is compiled and run here', () => {
    const program = read('testing/readme-example.ts').replace('// SPDX-License-Identifier: Apache-2.0\n', '');
    expect(read('../README.md')).toContain(`\n\`\`\`ts\n${program}\`\`\`\n`);
  });

  test('waits in virtual time only', () => {
    expect(result).toBe(3);
    expect(lines).toEqual(['trying again', 'trying again']);
  });
});
