// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { defineKind, object, referencePage } from '../index.ts';
import { gadgets } from '../testing/every-feature.ts';

describe('the reference page of a kind', () => {
  test('is this file, to the letter', async () => {
    await expect(referencePage(gadgets)).toMatchFileSnapshot('../golden/gadgets.md');
  });

  test('has no empty sections', () => {
    const names = { group: 'example.com', version: 'v1', kind: 'Empty', plural: 'empties', scope: 'Cluster' } as const;
    expect(referencePage(defineKind({ ...names, spec: object({}) }))).toBe(
      [
        '# Empty',
        '',
        '|  |  |',
        '| --- | --- |',
        '| API version | `example.com/v1` |',
        '| Names | `empties`, `empty` |',
        '| Scope | Cluster |',
        '',
        '## spec',
        '',
      ].join('\n'),
    );
  });
});
