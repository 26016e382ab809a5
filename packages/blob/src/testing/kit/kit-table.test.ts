// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { renderKitTable } from './kit-table.ts';

test("the README's table of faults is that of the kit", async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const section = readme.slice(readme.indexOf('## Faults'));
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
  const table = cells.filter(([first]) => !/^-+$/.test(first ?? ''));
  const size = renderKitTable().length;
  expect(table.slice(0, size)).toEqual(renderKitTable());
});
