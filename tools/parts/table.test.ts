// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { partKey } from './cache-directory.ts';
import type { Recipe } from './recipes/recipe.ts';
import { partTable } from './table.ts';

const rows = Object.entries(partTable);

function ofKind<K extends Recipe['kind']>(kind: K): [string, Extract<Recipe, { kind: K }>][] {
  return rows.filter((row): row is [string, Extract<Recipe, { kind: K }>] => row[1].kind === kind);
}

test('every part has a separate directory', () => {
  const keys = rows.map(([name, recipe]) => partKey(partTable, name, recipe));
  expect(new Set(keys).size).toBe(keys.length);
});

test.each(rows)('%s has an exact version that fits its name', (name, { version }) => {
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  const [, wanted = version] = name.split('@');
  expect(`${version}.`).toContain(`${wanted}.`);
});

describe.each(ofKind('go'))('%s', (_name, recipe) => {
  test('pins its modules by their checksums', () => {
    expect(recipe.modules.length).toBeGreaterThan(0);
    for (const { sum } of recipe.modules) expect(sum).toMatch(/^h1:[A-Za-z0-9+/]{43}=$/);
  });

  test('proves every program', () => {
    for (const { verify } of recipe.programs) expect(verify.prints).not.toBe('');
  });
});

describe.each(ofKind('debian'))('%s', (_name, recipe) => {
  test('pins its packages by their checksums, for both architectures', () => {
    expect(Object.keys(recipe.packages)).toEqual(['amd64', 'arm64']);
    for (const { path, sha256 } of Object.values(recipe.packages).flat()) {
      expect(path).toMatch(/^pool\/main\/\S+\.deb$/);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test('proves every program', () => {
    for (const { verify } of recipe.programs) expect(verify.prints).toContain(recipe.version);
  });
});

describe.each(ofKind('npm'))('%s', (_name, recipe) => {
  test('pins itself and all that it needs by a lockfile, which is pinned itself', async () => {
    const text = await readFile(new URL(recipe.lockfile.path, import.meta.url));
    expect(createHash('sha256').update(text).digest('hex')).toBe(recipe.lockfile.sha256);
    const { packages } = JSON.parse(text.toString()) as { packages: Record<string, Record<string, unknown>> };
    expect(packages['']?.['dependencies']).toEqual({ [recipe.package]: recipe.version });
    const { '': _root, ...needed } = packages;
    for (const entry of Object.values(needed)) {
      expect(entry['integrity']).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      expect(entry).not.toHaveProperty('resolved');
    }
  });

  test('proves every program', () => {
    for (const { verify } of recipe.programs) expect(verify.prints).toContain(recipe.version);
  });
});

test.each(ofKind('collection'))('%s is made of parts of its own version', (_name, { parts, version }) => {
  expect(parts.map((member) => partTable[member]?.version)).toEqual(parts.map(() => version));
});
