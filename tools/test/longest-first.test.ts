// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createVitest } from 'vitest/node';
import { repositoryRoot } from '../repository-root.ts';
import { changedFolders, LongestFirst, longestFiles } from './longest-first.ts';

describe('the order of a run', () => {
  test('unit tests come first, and then the longest of the files with real processes', async () => {
    const vitest = await createVitest({ root: repositoryRoot, watch: false, project: ['lab', 'unit'] });
    try {
      const found = await vitest.globTestSpecifications([
        'tools/test/',
        'stopped-leaders.lab',
        'packages/kube-lab/src/lab',
        'test/guide/guide.lab',
      ]);
      const sorted = await new LongestFirst(vitest, () => new Set()).sort(found.reverse());
      const projects = sorted.map(({ project }) => project.name);
      expect(projects).toEqual([...projects].sort().reverse());
      expect(new Set(projects)).toEqual(new Set(['unit', 'lab']));
      const labs = sorted.filter(({ project }) => project.name === 'lab').map(({ moduleId }) => moduleId);
      expect(labs.length).toBeGreaterThan(2);
      expect(labs.slice(0, 2)).toEqual([
        join(repositoryRoot, 'test/guide/guide.lab.test.ts'),
        join(repositoryRoot, 'apps/operator/src/stopped-leaders.lab.test.ts'),
      ]);
      const beside = join(repositoryRoot, 'tools/test');
      const withChange = await new LongestFirst(vitest, () => new Set([beside])).sort(sorted.reverse());
      expect(dirname(withChange[0]?.moduleId ?? '')).toBe(beside);
      // Vitest runs files of order 0 with one worker separately, after all others.
      expect(sorted.map(({ project }) => project.config.sequence.groupOrder)).not.toContain(0);
    } finally {
      await vitest.close();
    }
  });

  test('files beside a change are told from the others', () => {
    const root = mkdtempSync(join(tmpdir(), 'etcd-operator-changes-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    expect(changedFolders(root)).toEqual(new Set());
    for (const folder of ['changed', 'same', 'new']) mkdirSync(join(root, folder));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
    writeFileSync(join(root, 'changed', 'a.ts'), 'a');
    writeFileSync(join(root, 'same', 'a.ts'), 'a');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--no-verify', '--message', 'a');
    writeFileSync(join(root, 'changed', 'a.ts'), 'b b');
    writeFileSync(join(root, 'new', 'ü.ts'), 'a');
    expect(changedFolders(root)).toEqual(new Set([join(root, 'changed'), join(root, 'new')]));
  });

  test('every file that is listed as long is there', () => {
    expect(longestFiles.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});
