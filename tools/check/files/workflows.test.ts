// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../../repository-root.ts';
import { problemsWith } from '../fixture-tree.ts';
import { workflows } from './workflows.ts';

const sound = `name: ci
on: [push]
permissions: { contents: read }
jobs:
  check:
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    strategy: { matrix: { command: [check] } }
    steps:
      - name: Run
        run: npm run --silent check
`;

async function messages(text: string): Promise<readonly string[]> {
  const problems = await problemsWith(workflows, { '.github/workflows/ci.yml': text });
  return problems.map(({ message }) => message);
}

describe('workflow files', () => {
  test('that call npm commands on a named runner are fine', async () => {
    expect(await messages(sound)).toEqual([]);
  });

  test.each([
    ['permissions: { contents: read }\n', '', 'say "permissions: contents: read"'],
    ['ubuntu-24.04', 'ubuntu-latest', 'name the version of the runner'],
    ['    timeout-minutes: 10\n', '', 'set timeout-minutes'],
    ['timeout-minutes', 'timeout-minuets', '"timeout-minuets" is not known here'],
    ['--silent check', 'fly', '"fly" is no npm script'],
    ['[check]', '[fly]', '"fly" is no npm script'],
    ['run: npm run --silent check', 'uses: actions/checkout@v4', 'pin actions/checkout@v4 to a commit'],
    ['run: npm run --silent check', `run: echo ${'$'}{{ github.event.issue.title }}`, 'hand values over by env'],
    ['        run: npm run --silent check\n', '', 'either run or uses'],
  ])('%j replaced by %j: %s', async (find, replace, message) => {
    expect(await messages(sound.replace(find, () => replace))).toContainEqual(expect.stringContaining(message));
  });

  const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');

  test('publish nothing that was not tested and installed on a real Kubernetes, which needs root', () => {
    const { jobs } = parse(read('.github/workflows/release.yml')) as {
      readonly jobs: { readonly draft: { readonly steps: readonly { readonly run: string }[] } };
    };
    const commands = jobs.draft.steps.map(({ run }) => run);
    const tested = commands.indexOf('sudo --preserve-env bash .ci/run');
    const verified = commands.findIndex((run) =>
      run.startsWith('sudo --preserve-env npm run --silent release -- --verify'),
    );
    expect(commands[verified]).not.toContain('--without-cluster');
    expect(commands.findIndex((run) => run.startsWith('gh release create'))).toBeGreaterThan(
      Math.max(tested, verified),
    );
    expect(Math.min(tested, verified)).toBeGreaterThan(0);
  });

  test('run every tier of .ci/run', () => {
    const tiers = [...read('.ci/run').matchAll(/^.*?\bpart [\w-]+ npm (?:run --silent )?([\w:]+)/gm)];
    expect(tiers.map(([, name]) => name)).toEqual(['check', 'test', 'test:conformance', 'test:e2e']);
    for (const [, name = ''] of tiers)
      expect(read('.github/workflows/ci.yml')).toMatch(new RegExp(`["\\s]${name}["\\s]`));
  });
});

test('the owners in CODEOWNERS own files that exist', () => {
  const text = readFileSync(join(repositoryRoot, '.github/CODEOWNERS'), 'utf8');
  const paths = [...text.matchAll(/^(\/\S+)/gm)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
});

describe('the hook for commit messages', () => {
  function hook(message: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'etcd-operator-hook-'));
    try {
      writeFileSync(join(folder, 'message'), message);
      execFileSync(join(repositoryRoot, '.githooks/commit-msg'), [join(folder, 'message')], { stdio: 'pipe' });
      return '';
    } catch (error) {
      return String((error as { stderr?: Buffer }).stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test.each([
    [`${'x'.repeat(72)}\n\nWhy.\n`, ''],
    [`${'x'.repeat(73)}\n`, 'The subject has 73 characters, at most 72 are allowed'],
    ['Do this\nand that\n', 'The second line must be empty'],
    [`Merge branch '${'x'.repeat(80)}'\n`, ''],
    ['# a comment\nDo this\n', ''],
  ])('%j', (message, complaint) => {
    expect(hook(message)).toContain(complaint);
    expect(hook(message) === '').toBe(complaint === '');
  });
});
