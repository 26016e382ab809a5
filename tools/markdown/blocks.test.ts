// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { blocksIn, exchangesOf } from './blocks.ts';

test('a block has its language, its section and the line of its first content; one in a list loses its indentation', () => {
  const page =
    '# Page\n```text\nfirst\n```\n## A `part`\n1. Type:\n\n   ```sh\n   kubectl get pods\n\n   ls\n   ```\n### Below\n~~~~\n```\n~~~~\n';
  expect(blocksIn(page)).toEqual([
    { language: 'text', content: 'first', line: 3, section: '' },
    { language: 'sh', content: 'kubectl get pods\n\nls', line: 9, section: 'A `part`' },
    { language: '', content: '```', line: 15, section: 'A `part`' },
  ]);
});

test('a line that begins with $ is a command, and the lines below it are what it prints', () => {
  const content = '$ kubectl get pods\nNAME\na\n$ true\n$ kubectl version\nv1';
  expect(exchangesOf({ content })).toEqual([
    { command: 'kubectl get pods', output: 'NAME\na' },
    { command: 'true', output: '' },
    { command: 'kubectl version', output: 'v1' },
  ]);
});
