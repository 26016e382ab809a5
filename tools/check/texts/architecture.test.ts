// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { architecture } from './architecture.ts';

const page = (edges: string, steps: string, table: string) => ({
  'docs/architecture.md': `# A\n\n\`\`\`mermaid\n${edges}\n\`\`\`\n\n\`\`\`mermaid\n${steps}\n\`\`\`\n\n${table}\n\n## End\n`,
});
const messages = async (edges: string, steps: string, table: string) =>
  (await problemsWith(architecture, page(edges, steps, table))).map(({ message }) => message);

test('diagrams that are what the code is are fine', async () => {
  expect(await messages('  kube --> ports', '  noon[at noon]', '| [`noon`](x.ts) | |')).toEqual([]);
});

test('a dependency that is not drawn, and one that is not there, are problems', async () => {
  expect(await messages('  ports --> kube', '', '')).toEqual([
    'draw "kube --> ports": package.json has it',
    'remove "ports --> kube": package.json does not have it',
  ]);
});

test('a step without its row, and a row without its step, are problems', async () => {
  expect(await messages('  kube --> ports', '  noon[at noon]', '| [`dusk`](x.ts) | |')).toEqual([
    'draw "dusk": the table below it has it',
    'remove "noon": the table below it does not have it',
  ]);
});
