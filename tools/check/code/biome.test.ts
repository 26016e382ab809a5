// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { biome } from './biome.ts';

const file = 'packages/ports/src/trial.ts';

const anything = ['a', 'ny'].join('');

const broken: readonly (readonly [rule: string, text: string])[] = [
  ['noExplicitAny', `export const trial: ${anything} = 1;`],
  ['noNonNullAssertion', "export const trial: string = process.env['X']!;"],
  ['noDefaultExport', 'export default 1;'],
  ['noEnum', 'export enum Trial {\n  One = 1,\n}'],
  ['noNamespace', 'export namespace trial {\n  export const one = 1;\n}'],
  ['noParameterProperties', 'export class Trial {\n  constructor(readonly one: number) {}\n}'],
  ['noReExportAll', "export * from './noon.ts';"],
  ['useImportType', "import { Check } from './noon.ts';\n\nexport type Trial = Check;"],
  ['noConsole', "console.log('trial');"],
  ['useImportExtensions', "export { noon } from './noon';"],
  ['noUnusedVariables', 'const trial = 1;'],
  ['noExcessiveLinesPerFunction', `export function trial() {\n${'  void 0;\n'.repeat(60)}}`],
];

describe('format and lint', () => {
  test.each(broken)('%s is named with its file', async (rule, text) => {
    const problems = await problemsWith(biome, { [file]: source(text) });
    expect(problems).toContainEqual(expect.objectContaining({ rule: expect.stringContaining(rule), file }));
  });

  test('a problem carries the line it is in', async () => {
    const problems = await problemsWith(biome, { [file]: source('\nexport default 1;') });
    expect(problems).toContainEqual(expect.objectContaining({ line: 3 }));
  });

  test('bad format says how to fix it', async () => {
    const problems = await problemsWith(biome, { [file]: source('export   const x = "y"') });
    expect(problems).toContainEqual(
      expect.objectContaining({ rule: 'format', file, message: expect.stringContaining('npm run format') }),
    );
  });

  test('a file name that is not kebab-case is refused', async () => {
    const problems = await problemsWith(biome, { 'packages/ports/src/TrialFile.ts': source('export const x = 1;') });
    expect(problems).toContainEqual(
      expect.objectContaining({ rule: expect.stringContaining('useFilenamingConvention') }),
    );
  });

  test('modules that import each other in a circle are refused', async () => {
    const problems = await problemsWith(biome, {
      'packages/ports/src/left.ts': source("import { right } from './right.ts';\n\nexport const left = () => right;"),
      'packages/ports/src/right.ts': source("import { left } from './left.ts';\n\nexport const right = () => left;"),
    });
    expect(problems).toContainEqual(expect.objectContaining({ rule: expect.stringContaining('noImportCycles') }));
  });

  test('configuration files may have the default export their programs ask for', async () => {
    expect(await problemsWith(biome, { 'trial.config.ts': source('export default {};') })).toEqual([]);
  });
});
