// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { fieldAt, isPlainPath } from './field-path.ts';
import { int32, list, map, object, optional, string } from './index.ts';

const { structural } = object({
  size: int32(),
  labels: map(string({ maxLength: 3 })),
  conditions: list(object({ type: string(), status: string({ maxLength: 7 }) })),
  legacy: optional(object({}, { preserveUnknownFields: true })),
});

describe('a path into a schema', () => {
  test.each([
    ['.size', { type: 'integer', format: 'int32' }],
    ["['size']", { type: 'integer', format: 'int32' }],
    ['.labels.app', { type: 'string', maxLength: 3 }],
    [".labels['a.b/c']", { type: 'string', maxLength: 3 }],
    ['.conditions[0].status', { type: 'string', maxLength: 7 }],
    ['.conditions[*].status', { type: 'string', maxLength: 7 }],
    ['.conditions[?(@.type=="Ready")].status', { type: 'string', maxLength: 7 }],
    ['.legacy.whatever.it.is', { 'x-kubernetes-preserve-unknown-fields': true }],
  ])('%s leads to its field', (path, field) => {
    expect(fieldAt(structural, path)).toEqual(field);
  });

  test.each([
    '',
    'size',
    '.',
    '.other',
    '.size.more',
    '.conditions.status',
    '.labels[0]',
    '.constructor',
    '.__proto__',
    '.a b',
  ])('"%s" leads nowhere', (path) => {
    expect(fieldAt(structural, path)).toBeUndefined();
  });

  test('is plain if it enters no list', () => {
    expect(isPlainPath('.spec.size')).toBe(true);
    expect(isPlainPath(".spec['size']")).toBe(true);
    expect(isPlainPath('.conditions[0].status')).toBe(false);
    expect(isPlainPath('spec')).toBe(false);
  });
});
