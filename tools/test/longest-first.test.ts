// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createVitest } from 'vitest/node';
import { repositoryRoot } from '../repository-root.ts';
import { LongestFirst, longestFiles } from './longest-first.ts';

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
      const sorted = await new LongestFirst(vitest).sort(found.reverse());
      const projects = sorted.map(({ project }) => project.name);
      expect(projects).toEqual([...projects].sort().reverse());
      expect(new Set(projects)).toEqual(new Set(['unit', 'lab']));
      const labs = sorted.filter(({ project }) => project.name === 'lab').map(({ moduleId }) => moduleId);
      expect(labs.length).toBeGreaterThan(2);
      expect(labs.slice(0, 2)).toEqual([
        join(repositoryRoot, 'test/guide/guide.lab.test.ts'),
        join(repositoryRoot, 'apps/operator/src/stopped-leaders.lab.test.ts'),
      ]);
      // Vitest runs files of order 0 with one worker separately, after all others.
      expect(sorted.map(({ project }) => project.config.sequence.groupOrder)).not.toContain(0);
    } finally {
      await vitest.close();
    }
  });

  test('every file that is listed as long is there', () => {
    expect(longestFiles.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });
});
