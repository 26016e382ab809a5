// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { reasonPage } from './reason-page.ts';

const constants = (reasons: string) =>
  [
    'standardConditionTypes',
    'conditionTypes',
    'conditionReasons',
    'eventReasons',
    'backupConditionTypes',
    'backupReasons',
    'backupEventReasons',
    'restoreConditionTypes',
    'restoreReasons',
  ]
    .map((name) => `export const ${name} = {\n${reasons}\n} as const;\n`)
    .join('\n');

test('every reason is on the page, with what to do', () => {
  const { text } = reasonPage('', constants("  /** It is so.\n   * Really. To do: wait. */\n  so: 'So it is',"));
  expect(text).toContain('- **So it is**: It is so. Really.\n');
  expect(text.match(/#### So it is\n\nIt is so\. Really\.\n\nTo do: wait\.\n/g)).toHaveLength(5);
});

test('a reason without a comment, or without a remedy, is not let through', () => {
  expect(() => reasonPage('', constants("  so: 'So',"))).toThrow('So has no comment');
  expect(() => reasonPage('', constants("  /** It is so. */\n  so: 'So',"))).toThrow('does not say what "To do:"');
});

test('the real constants make a page', () => {
  const { path, text } = reasonPage(repositoryRoot);
  expect(path).toBe('docs/reference/reasons.md');
  for (const reason of [
    'QuorumLost',
    'SpecInvalid',
    'Replacing Dead Member',
    'BucketMissing',
    'BackupTaken',
    'RollingBack',
  ])
    expect(text).toContain(`#### ${reason}\n`);
});
