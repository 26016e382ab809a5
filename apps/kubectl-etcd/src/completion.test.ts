// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { optionTable, parseCommandLine } from './command-line.ts';
import { completionOf, completionText } from './completion.ts';
import { commandHelp } from './help.ts';
import { type ProcessIo, runCommand } from './run-command.ts';

describe('completion offers', () => {
  test.each([
    [['re'], ['recover', 'report', 'restore', 'resume']],
    [
      ['backup', ''],
      ['browse', 'create', 'diff', 'list'],
    ],
    [['back'], ['backup']],
    [
      ['help', 'backup', ''],
      ['browse', 'diff', 'list'],
    ],
    [['help', 'status', ''], []],
    [['backup', 'browse', 'b', '--rev'], ['--revision']],
    [
      ['backup', 'diff', 'b', '--to'],
      ['--to-at', '--to-revision'],
    ],
    [
      ['backup', 'list', '--s'],
      ['--secret', '--store', '--stored'],
    ],
    [['backup', 'diff', 'a', 'live', ''], []],
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

  test.each([
    [['backup', 'browse', ''], []],
    [['backup', 'diff', ''], []],
    [['backup', 'diff', 'mine', ''], ['live']],
  ])('names of backups for %j', (line, words) => {
    expect(completionOf(line)).toEqual({ kind: 'backups', prefix: '', words });
  });

  const topics = [...Object.keys(commandHelp), 'backup list', 'backup create'].map((topic) => topic.split(' '));

  test.each(topics)('only words that %s %s takes', (...topic) => {
    for (const typed of ['', '-']) {
      const found = completionOf([...topic, typed]);
      if (found.kind === 'files') continue;
      const words = found.kind === 'words' ? found.words : [];
      expect(words.filter((word) => /\s/.test(word))).toEqual([]);
      // An option that the command refuses says so before anything else.
      for (const word of words.filter((one) => one.startsWith('--') && one !== '--help')) {
        const value = optionTable[word.slice(2) as keyof typeof optionTable].type === 'string' ? ['1'] : [];
        const refusal = (() => {
          try {
            parseCommandLine([...topic, word, ...value]);
          } catch (error) {
            return String(error);
          }
          return '';
        })();
        expect(refusal).not.toMatch(/does not take --|takes no -o/);
      }
    }
  });

  test('files for a file', () => {
    expect(completionOf(['plan', '-f', 'x'])).toEqual({ kind: 'files' });
  });
});

test('kubectl gets the directive not to complete files, unless a file is expected', () => {
  expect(completionText(['a', 'b'])).toBe('a\nb\n:4\n');
  expect(completionText([], true)).toBe(':0\n');
});

test('what cannot be looked up completes to nothing, and nothing is said about it', async () => {
  const said: (string | Uint8Array)[] = [];
  const io: ProcessIo = {
    env: {},
    out: (text) => said.push(text),
    err: (text) => said.push(text),
    readFile: async () => '',
  };
  const signal = new AbortController().signal;
  expect(await runCommand(['__complete', '--kubeconfig', '/nowhere', 'status', ''], io, signal)).toBe(0);
  expect(await runCommand(['__complete', 'mem'], io, signal)).toBe(0);
  expect(said).toEqual([':4\n', 'members\n:4\n']);
});
