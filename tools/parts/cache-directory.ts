// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PartTable, Recipe } from './recipes/recipe.ts';

/** The cache directory, which is independent of checkouts. Relative values start in the current directory. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const own = environment['ETCD_OPERATOR_CACHE'];
  if (own) return resolve(own);
  const user = environment['XDG_CACHE_HOME'];
  if (user) return resolve(user, 'etcd-operator');
  return join(environment['HOME'] || homedir(), '.cache', 'etcd-operator');
}

/** The directory of all parts below a cache directory. */
export function partsDirectory(cache: string): string {
  return join(cache, 'parts');
}

/**
 * The directory name of one part: readable, and different whenever the recipe (or one that it contains) or the platform
 * differs, so that an old entry is never used for a new one.
 */
export function partKey(table: PartTable, name: string, recipe: Recipe): string {
  const [base = name] = name.split('@');
  const hash = recipeHash(table, recipe).slice(0, 12);
  return `${base}-${recipe.version}-${process.platform}-${process.arch}-${hash}`;
}

/** Fields about building or checking that do not affect the result. */
const immaterial: ReadonlySet<string> = new Set(['bytesNeeded', 'mayComeFromPath', 'verify']);

function recipeHash(table: PartTable, recipe: Recipe): string {
  const material = JSON.stringify(recipe, (key, value: unknown) => (immaterial.has(key) ? undefined : value));
  const hash = createHash('sha256').update(material);
  if (recipe.kind === 'collection') {
    for (const name of recipe.parts) {
      const member = table[name];
      if (member) hash.update(recipeHash(table, member));
    }
  }
  return hash.digest('hex');
}
