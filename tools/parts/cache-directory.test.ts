// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { cacheDirectory, partKey } from './cache-directory.ts';
import type { GoRecipe, PartTable } from './recipes/recipe.ts';
import { tiny } from './testing/scene.ts';

describe('the cache directory', () => {
  test.each([
    [{ ETCD_OPERATOR_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
    [{ XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/etcd-operator'],
    [{ ETCD_OPERATOR_CACHE: '', XDG_CACHE_HOME: '', HOME: '/c' }, '/c/.cache/etcd-operator'],
  ])('for %j is %s', (environment, directory) => {
    expect(cacheDirectory(environment)).toBe(directory);
  });
});

describe('the key of a part', () => {
  const key = (recipe: GoRecipe) => partKey({ tiny: recipe }, 'tiny', recipe);

  test('says name, version and platform', () => {
    expect(partKey({}, 'etcd@3.6', { ...tiny, version: '3.6.16' })).toMatch(
      new RegExp(`^etcd-3\\.6\\.16-${process.platform}-${process.arch}-[0-9a-f]{12}$`),
    );
  });

  test('changes with what goes into the part', () => {
    expect(key({ ...tiny, tags: ['netgo'] })).not.toBe(key(tiny));
    expect(key({ ...tiny, modules: [{ path: 'a', version: 'v1.0.0', sum: 'h1:' }] })).not.toBe(key(tiny));
  });

  test('stays when only the way of checking or fetching it changes', () => {
    const programs = tiny.programs.map((program) => ({ ...program, verify: { args: [], prints: '' } }));
    expect(key({ ...tiny, bytesNeeded: 7, mayComeFromPath: true, programs })).toBe(key(tiny));
  });

  test('of a collection changes with its parts', () => {
    const all = { kind: 'collection', version: '1', bytesNeeded: 1, parts: ['tiny'] } as const;
    const before: PartTable = { tiny, all };
    const after: PartTable = { tiny: { ...tiny, tags: ['netgo'] }, all };
    expect(partKey(after, 'all', all)).not.toBe(partKey(before, 'all', all));
  });
});
