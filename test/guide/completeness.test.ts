// SPDX-License-Identifier: Apache-2.0
/** The guide leaves nothing out: each reason that the operators give has an entry, each field of the three kinds an example. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditionReasons, conditionTypes, eventReasons } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { blocksOf } from './testing/page.ts';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

function sourcesOf(folder: string): string {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('test'))
    .map((file) => read(`${folder}/${file}`))
    .join('\n');
}

describe('every reason has an entry', () => {
  const guide = read('docs/guide/troubleshooting.md');

  test('of an EtcdCluster', () => {
    const page = read('docs/reference/reasons.md');
    for (const type of Object.values(conditionTypes)) expect(page).toContain(`- **${type}**: `);
    for (const reason of Object.values({ ...conditionReasons, ...eventReasons }))
      expect(page).toContain(`### ${reason}\n`);
  });

  test('of an EtcdBackup', () => {
    const sources = sourcesOf('apps/operator/src/backup');
    const storage = read('apps/operator/src/storage/storage-error.ts');
    const reasons = new Set([
      ...matches(sources, /reason: '(\w+)'/g),
      ...matches(sources, /invalid\('(\w+)'/g),
      ...matches(sources, /new BackupError\(\s*'\w+',\s*'(\w+)'/g),
      ...matches(sources, /record\(backup, '\w+', '(\w+)'/g),
      ...matches(/lastingStoreFaults.*?= \{(.*?)\};/s.exec(sources)?.[1] ?? '', /: '(\w+)'/g),
      ...matches(/type StorageErrorCode =(.*?);/s.exec(storage)?.[1] ?? '', /'(\w+)'/g),
    ]);
    expect(reasons.size).toBeGreaterThan(25);
    expect([...reasons].filter((reason) => !guide.includes(`\`${reason}\``))).toEqual([]);
  });

  test('of an EtcdRestore', () => {
    const words = /const eventWords = \{(.*?)\}/s.exec(read('apps/operator/src/restore/reconciler.ts'))?.[1] ?? '';
    const reasons = matches(words, /^ {2}(\w+):/gm);
    expect(reasons.length).toBeGreaterThan(8);
    expect(reasons.filter((reason) => !guide.includes(`\`Restore${reason}\``))).toEqual([]);
  });
});

/** The paths of all fields below a value: `pod.etcdEnv`, `pod.etcdEnv[].name`. */
function pathsIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return [own, ...pathsIn(below, own)];
  });
}

/** Paths of fields that stand in an example of the guide, by kind. */
function shown(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const pages = readdirSync(join(repository, 'docs/guide'), { recursive: true, encoding: 'utf8' });
  for (const page of pages.filter((file) => file.endsWith('.md'))) {
    const blocks = blocksOf(join(repository, 'docs/guide', page)).filter(({ language }) => language === 'yaml');
    for (const document of blocks.flatMap(({ content }) => parseAllDocuments(content))) {
      const { kind, spec } = document.toJS() as { readonly kind: string; readonly spec?: unknown };
      const paths = found.get(kind) ?? new Set<string>();
      for (const path of pathsIn(spec)) paths.add(path);
      found.set(kind, paths);
    }
  }
  return found;
}

describe('every field has an example', () => {
  const examples = shown();
  // The sources of a restore are those of a backup, and its spec of a cluster that of a cluster.
  const backup = examples.get('EtcdBackup') ?? new Set();
  const isShown: Readonly<Record<string, (path: string) => boolean>> = {
    EtcdCluster: (path) => examples.get('EtcdCluster')?.has(path) ?? false,
    EtcdBackup: (path) => backup.has(path) || (path.endsWith('.caSecret') && backup.has('gcs.caSecret')),
    EtcdRestore: (path) =>
      (examples.get('EtcdRestore')?.has(path) ?? false) ||
      (/^(s3|abs|gcs|oss|directory)\b/.test(path) && (isShown['EtcdBackup']?.(path) ?? false)) ||
      (path.startsWith('clusterSpec.') && (isShown['EtcdCluster']?.(path.slice('clusterSpec.'.length)) ?? false)),
  };

  test.each(Object.keys(isShown))('of %s', (kind) => {
    const page = read(`docs/reference/${kind.toLowerCase()}s.md`);
    const spec = /\n## spec\n(.*?)\n## status\n/is.exec(page)?.[1] ?? '';
    const fields = matches(spec, /^\| `([^`]+)` \|/gm);
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter((field) => !isShown[kind]?.(field))).toEqual([]);
  });
});
