// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { completionOf, completionText } from './completion.ts';
import { runCommand } from './run-command.ts';

describe('completion offers', () => {
  test.each([
    [['re'], ['recover', 'report', 'restore', 'resume']],
    [
      ['backup', ''],
      ['create', 'list'],
    ],
    [['status', '--w'], ['--watch']],
    [
      ['list', '-o', ''],
      ['json', 'wide', 'yaml'],
    ],
    [['help', 'mo'], ['move-leader']],
    [['list', ''], []],
    [['status', 'mine', ''], []],
    [['exec', 'mine', '--', ''], []],
    [['nonsense', ''], []],
  ])('for %j %j', (line, words) => {
    expect(completionOf(line)).toEqual({ kind: 'words', words });
  });

  test.each([[['status', '']], [['-n', 'shop', 'status', '']], [['backup', 'create', '']], [['logs', '--follow', '']]])(
    'names of clusters for %j',
    (line) => expect(completionOf(line)).toEqual({ kind: 'clusters', prefix: '' }),
  );

  test('files for a file', () => {
    expect(completionOf(['plan', '-f', 'x'])).toEqual({ kind: 'files' });
  });
});

test('kubectl gets the directive not to complete files, unless a file is expected', () => {
  expect(completionText(['a', 'b'])).toBe('a\nb\n:4\n');
  expect(completionText([], true)).toBe(':0\n');
});

test('what cannot be looked up completes to nothing, and nothing is said about it', async () => {
  const said: string[] = [];
  const surface = {
    env: {},
    out: (text: string) => said.push(text),
    err: (text: string) => said.push(text),
    readFile: async () => '',
  };
  const signal = new AbortController().signal;
  expect(await runCommand(['__complete', '--kubeconfig', '/nowhere', 'status', ''], surface, signal)).toBe(0);
  expect(await runCommand(['__complete', 'mem'], surface, signal)).toBe(0);
  expect(said).toEqual([':4\n', 'members\n:4\n']);
});
