// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLines, textLines } from './log-lines.ts';
import type { LogRecord } from './logger.ts';

const time = Date.parse('2026-05-01T10:20:30.456Z');

function lineOf(writer: typeof jsonLines, record: Partial<LogRecord>): string {
  const lines: string[] = [];
  writer({ write: (line) => lines.push(line) })({ time, level: 'info', message: 'line', fields: {}, ...record });
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('lines for machines', () => {
  test('are one JSON object: time, level, msg, then the fields', () => {
    const line = lineOf(jsonLines, { level: 'warn', message: 'slow', fields: { object: 'Pod default/a', after: 3 } });
    expect(line).toBe(
      '{"time":"2026-05-01T10:20:30.456Z","level":"warn","msg":"slow","object":"Pod default/a","after":3}\n',
    );
  });

  test('are exactly one line each, whatever is in them', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (message, fields) => {
        const line = lineOf(jsonLines, { message, fields });
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(() => JSON.parse(line)).not.toThrow();
      }),
    );
  });
});

describe('lines for people', () => {
  test('are a letter, the time of day, the message, then key=value', () => {
    const line = lineOf(textLines, {
      level: 'error',
      message: 'cannot reach member',
      fields: { member: 'a-0', tries: 3 },
    });
    expect(line).toBe('E 10:20:30.456 cannot reach member member=a-0 tries=3\n');
  });

  test.each([
    ['plain', 'plain'],
    ['https://a-0.a.default.svc:2379/x', 'https://a-0.a.default.svc:2379/x'],
    ['two words', '"two words"'],
    ['', '""'],
    ['new\nline', '"new\\nline"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{ a: [1] }, '{"a":[1]}'],
  ])('write %j as %s', (value, expected) => {
    expect(lineOf(textLines, { fields: { key: value } })).toBe(`I 10:20:30.456 line key=${expected}\n`);
  });
});
