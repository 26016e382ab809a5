// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';
import { print } from './print.ts';

const hostile = 'spec.version: \u001b[2J\u001b]0;title\u0007\u009b31mred\r\u202egnp.exe\u0008';
const shown = String.raw`spec.version: \u001b[2J\u001b]0;title\u0007\u009b31mred\u000d\u202egnp.exe\u0008`;

test('a text of a tenant cannot control the terminal of its reader', () => {
  expect(plainText(hostile)).toBe(shown);
  const report = { data: { message: hostile }, lines: () => [hostile] };
  expect(print(report, 'text')).toBe(`${shown}\n`);
  expect(print(report, 'wide')).toBe(`${shown}\n`);
  for (const format of ['json', 'yaml'] as const) expect(print(report, format)).not.toContain('\u001b');
});

test('other texts stay as they are', () => {
  expect(plainText('Zeilen\n\tund Zeichen: äß, 日本, \\u001b')).toBe('Zeilen\n\tund Zeichen: äß, 日本, \\u001b');
});
