// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { manifest, problemsWith, source } from '../fixture-tree.ts';
import { deadCode, testOnlyCode } from './dead-code.ts';

describe('dead code', () => {
  test('an export that nothing imports is named with its file and line', async () => {
    const problems = await problemsWith(deadCode, {
      'packages/ports/src/noon.ts': source('export const noon: number = 12;\nexport const evening: number = 18;'),
    });
    expect(problems).toEqual([
      expect.objectContaining({
        rule: 'unused-exports',
        file: 'packages/ports/src/noon.ts',
        line: 3,
        message: expect.stringContaining('evening'),
      }),
    ]);
  });

  test('a file that nothing imports is named', async () => {
    const problems = await problemsWith(deadCode, { 'packages/ports/src/trial.ts': source('export const trial = 1;') });
    expect(problems).toContainEqual(
      expect.objectContaining({ rule: 'unused-files', file: 'packages/ports/src/trial.ts' }),
    );
  });

  test('a dependency that nothing imports is named', async () => {
    const problems = await problemsWith(deadCode, {
      'packages/ports/package.json': manifest('@operator-parts/ports', {
        exports: { '.': './src/index.ts' },
        dependencies: { left: '1.0.0' },
      }),
    });
    expect(problems).toContainEqual(expect.objectContaining({ rule: 'unused-dependencies' }));
  });

  test('an import of a package that the workspace does not declare is named', async () => {
    const problems = await problemsWith(deadCode, {
      'packages/ports/src/noon.ts': source("import 'undici';\n\nexport const noon: number = 12;"),
    });
    expect(problems).toContainEqual(expect.objectContaining({ rule: 'unused-unlisted' }));
  });

  const onlyTested = {
    'packages/ports/src/trial.ts': source('export const trial = 1;'),
    'packages/ports/src/trial.test.ts': source("import { trial } from './trial.ts';\n\nexport const one = trial;"),
  };

  test('what only a test imports is not dead', async () => {
    const problems = await problemsWith(deadCode, onlyTested);
    expect(problems.filter(({ rule }) => rule === 'unused-files')).toEqual([]);
  });

  test('but it is no product either', async () => {
    const problems = await problemsWith(testOnlyCode, onlyTested);
    expect(problems).toEqual([expect.objectContaining({ rule: 'unused-files', file: 'packages/ports/src/trial.ts' })]);
  });

  test('what tests share lies below testing/', async () => {
    const problems = await problemsWith(testOnlyCode, {
      'packages/ports/src/testing/trial.ts': source('export const trial = 1;'),
      'packages/ports/src/trial.test.ts': source(
        "import { trial } from './testing/trial.ts';\n\nexport const one = trial;",
      ),
    });
    expect(problems).toEqual([]);
  });
});
