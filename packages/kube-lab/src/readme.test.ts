// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';

test('the example in the README is the test that is run here', () => {
  const example = readFileSync(join(import.meta.dirname, 'readme-example.test.ts'), 'utf8');
  const shown = blocksOf(join(import.meta.dirname, '../README.md')).find(({ content }) =>
    content.startsWith('import '),
  );
  expect(example).toBe(`// SPDX-License-Identifier: Apache-2.0\n${shown?.content}\n`);
});
