// SPDX-License-Identifier: Apache-2.0
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { qualifiedName } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { builtinKinds } from './registry/builtin-table.ts';

/** Places where an action depends on an object, not where the object is stored, shown or validated. */
const acting = [
  'admission',
  'authn',
  'authz',
  'controllers',
  'crd',
  'dns',
  'gc',
  'handlers',
  'network',
  'node',
  'server',
];

/** Validation that every kind with a pod template does. */
const complaining = 'admission/pod-security/';

function actingSource(): string {
  const files = acting.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: import.meta.dirname }));
  const own = files.filter((file) => !/\.test\.ts$|testing\//.test(file) && !file.startsWith(complaining));
  return own.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
}

test('the README lists the kinds that are kept and have no effect: those that nothing but their storage knows', () => {
  const source = actingSource();
  const stored = builtinKinds().filter(({ verbs }) => verbs.includes('create') && verbs.includes('list'));
  const kept = stored.filter((names) => {
    const { kind, plural } = names;
    const descriptor = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
    // By its descriptor, its collection, its path or a template of either.
    const known = new RegExp(`\\b${descriptor}(s|es)?\\b|\\b${plural}\\b|'${qualifiedName(names)}'`);
    return !known.test(source) && !/webhookconfigurations$/.test(plural);
  });
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, list = ''] = /^## Kinds that are kept and have no effect\n(.*?)^## /ms.exec(readme) ?? [];
  const listed = [...list.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, kind]) => String(kind));
  expect(new Set(listed)).toEqual(new Set(kept.map(({ kind }) => kind)));
});
