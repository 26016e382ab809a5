// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { DeclarationError, defineKind, int32, list, object, optional, string } from './index.ts';
import { refusals } from './testing/refusals.ts';

function errorOf(declare: () => unknown): DeclarationError {
  try {
    declare();
  } catch (error) {
    if (error instanceof DeclarationError) return error;
    throw error;
  }
  throw new Error('it was declared');
}

describe('declaring a kind', () => {
  test.each(refusals)('is refused, with the path, for $what', ({ declare, path, message }) => {
    const { problems } = errorOf(declare);
    expect(problems).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  test('reports everything that is wrong at once, in words that name the kind', () => {
    const spec = object({ a: int32({ minimum: 2, maximum: 1 }), b: optional(list(string({ pattern: '(' }))) });
    const names = { group: 'example', version: 'v1', kind: 'Bad', plural: 'bads', scope: 'Cluster' } as const;
    const error = errorOf(() => defineKind({ ...names, spec }));
    expect(error.code).toBe('InvalidDeclaration');
    expect(error.problems.map(({ path }) => path)).toEqual(['group', 'spec.a', 'spec.b[]']);
    expect(error.message).toMatch(
      /^the kind Bad cannot be declared:\n {2}group: .*\n {2}spec\.a: .*\n {2}spec\.b\[\]: /,
    );
  });
});
