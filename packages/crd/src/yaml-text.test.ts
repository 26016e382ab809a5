// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { yamlText } from './yaml-text.ts';

/** Strings that some YAML parsers read as another type. */
const tricky = [
  'yes',
  'No',
  '1',
  '1e3',
  '.5',
  '0x1F',
  'null',
  '~',
  '2001-01-01',
  '- a',
  'a: b',
  'a #b',
  '=',
  '<<',
  '---',
  'a:',
  '',
];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[a-z~.:#\-\n '"%@!|>?&*+0-9eE_]{0,12}$/),
  fc.constantFrom(...tricky),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('json'),
      { maxKeys: 4 },
    ),
  ),
}));

describe('text in YAML', () => {
  test.each(['1.1', '1.2'] as const)('is read back as the same value by a reader of YAML %s', (version) => {
    fc.assert(
      fc.property(json, (value) => {
        const document = parseDocument(yamlText(value), {
          version,
          schema: version === '1.1' ? 'yaml-1.1' : 'core',
        });
        expect(document.errors).toEqual([]);
        expect(document.toJS()).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps the lines of a rule and leaves out what is undefined', () => {
    const value = { rule: 'a\n  && b', off: undefined, empty: {}, none: [], list: [{ a: 1, b: [2] }, 'c'] };
    expect(yamlText(value)).toBe(
      ['rule: |-', '  a', '    && b', 'empty: {}', 'none: []', 'list:', '- a: 1', '  b:', '  - 2', '- c', ''].join(
        '\n',
      ),
    );
  });
});
