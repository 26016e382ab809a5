// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { describe, expect, test } from 'vitest';
import { databases, example, yaml } from './testing/readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

describe('the example in the README', () => {
  test('is the program that is compiled and run here', () => {
    const [shown] = blocksOf(join(import.meta.dirname, '../README.md')).filter(({ language }) => language === 'ts');
    expect(read('testing/readme-example.ts')).toBe(`// SPDX-License-Identifier: Apache-2.0\n${shown?.content}\n`);
  });

  test('gives a CRD and a descriptor', () => {
    expect(example.kind).toBe(databases.kind);
    expect(yaml).toContain('name: databases.example.com\n');
    expect(databases.resource).toEqual({
      group: 'example.com',
      version: 'v1',
      kind: 'Database',
      plural: 'databases',
      namespaced: true,
    });
  });
});
