// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { chartReadme } from './chart-readme.ts';

const rowsOf = (values: string) =>
  chartReadme(values)
    .split('\n')
    .filter((line) => line.startsWith('| `'));

describe('the README of the chart', () => {
  test('has a row for each value, with its default and its comment', () => {
    const values = [
      '# About the file.',
      '',
      '# What it is called.',
      'name: ""',
      '# Of the group.',
      'group:',
      '  # On or off;',
      '  # off by default.',
      '  enabled: false',
      '  list: [1, 2]',
      'plain: {}',
      '',
    ].join('\n');
    expect(rowsOf(values)).toEqual([
      '| `name` | `""` | What it is called. |',
      '| `group` |  | Of the group. |',
      '| `group.enabled` | `false` | On or off; off by default. |',
      '| `group.list` | `[1,2]` |  |',
      '| `plain` | `{}` |  |',
    ]);
  });

  test('names every value that the schema knows, and no other', () => {
    const read = (file: string) => readFileSync(join(repositoryRoot, 'deploy/charts/etcd-operator', file), 'utf8');
    const { properties } = JSON.parse(read('values.schema.json')) as { readonly properties: object };
    const named = rowsOf(read('values.yaml')).map((row) => row.slice(3).split(/[.`]/, 1)[0]);
    const known = Object.keys(properties).filter((name) => name !== 'global');
    expect(new Set(named)).toEqual(new Set(known));
  });
});
