// SPDX-License-Identifier: Apache-2.0
/** The guide is complete: each reason of the operators has an entry, each field of the three kinds an example. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupEventReasons, conditionReasons, conditionTypes, eventReasons } from '@etcd-operator/operator';
import { knownParts, ownPackage, partVersion } from '@etcd-operator/tools';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

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
      ...Object.values(backupEventReasons),
      ...matches(/lastingStoreFaults.*?= \{(.*?)\};/s.exec(sources)?.[1] ?? '', /: '(\w+)'/g),
      ...matches(/type StorageErrorCode =(.*?);/s.exec(storage)?.[1] ?? '', /'(\w+)'/g),
    ]);
    expect(reasons.size).toBeGreaterThan(25);
    expect([...reasons].filter((reason) => !guide.includes(`\`${reason}\``))).toEqual([]);
  });

  test('of an EtcdRestore', () => {
    const words = /const backupWords = \{(.*?)\}/s.exec(read('apps/operator/src/restore/event-messages.ts'))?.[1] ?? '';
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

/** Paths of fields in examples of the guide, by kind. */
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
  // The sources of a restore are those of a backup, and its cluster spec is that of a cluster.
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

test('every metric of the operators has a line, and every line is of a metric', () => {
  const registered = new Set(matches(sourcesOf('apps/operator/src'), /(?:name: |\bgauge\(\s*)'(etcd_operator_\w+)'/g));
  expect(registered.size).toBeGreaterThan(15);
  const page = read('docs/guide/troubleshooting.md').split('\n## Metrics\n')[1] ?? '';
  const rows = page.split('\n').filter((row) => row.startsWith('| `'));
  // One row lists the others with the same prefix by their suffixes.
  const listed = rows.flatMap((row) => {
    const [first = '', ...ends] = matches(row, /`(etcd_operator_\w+|\.\.\._\w+)`/g);
    return [first, ...ends.map((end) => first + end.slice('...'.length))];
  });
  expect(listed.toSorted()).toEqual([...registered].toSorted());
});

test('every flag of the operators has a line with its default, and every line is of a flag', () => {
  const files = readdirSync(join(repository, 'apps/operator/src/programs')).filter((file) => /flags\.ts$/.test(file));
  const sources = [...files, 'etcd-operator.ts'].map((file) => read(`apps/operator/src/programs/${file}`)).join('\n');
  const declared = new Map(
    [...sources.matchAll(/^ +'?([a-z-]+)'?: \{\s*kind: '\w+',\s*default: ([^,]+),/gm)].map(
      ([, name = '', value = '']) => [name, value.replaceAll("'", '')] as const,
    ),
  );
  expect(declared.size).toBeGreaterThan(15);
  const page = read('docs/guide/install.md').split('\n## Flags\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...page.matchAll(/^\| `-([a-z-]+)` +\| (?:`([^`]*)`)?/gm)];
  expect(rows.map(([, name = '']) => name).toSorted()).toEqual([...declared.keys()].toSorted());
  const wrong = rows.filter(([, name = '', value]) => value !== undefined && !declared.get(name)?.includes(value));
  expect(wrong.map(([row]) => row)).toEqual([]);
});

test('what a change of spec.pod does is said of each field as the operator has it', () => {
  const source = read('apps/operator/src/cluster/objects/pod-fields.ts');
  const places = [...source.matchAll(/^ {2}(\w+): '(live|replace|ignored)',$/gm)];
  const page = read('docs/guide/fields.md').split('\n## Which changes do what\n')[1]?.split('\n## ')[0] ?? '';
  const rows = page.split('\n').filter((row) => row.startsWith('| '));
  const said: Readonly<Record<string, RegExp>> = {
    live: /in place, nothing restarts/,
    replace: /a new pod each/,
    ignored: /made from then on|no pod changes/,
  };
  expect(places.length).toBeGreaterThan(20);
  const wrong = places.filter(
    ([, field, place = '']) => !rows.some((row) => row.includes(`\`${field}\``) && said[place]?.test(row)),
  );
  expect(wrong.map(([, field]) => field)).toEqual([]);
});

test('the decision on libraries names those that are in use, and no others', () => {
  const folders = ['packages', 'apps'].flatMap((home) =>
    readdirSync(join(repository, home)).map((name) => `${home}/${name}/package.json`),
  );
  const used = folders.flatMap((file) => {
    const { dependencies = {} } = JSON.parse(read(file)) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    return Object.keys(dependencies).filter((name) => ownPackage(name) === undefined);
  });
  const page = read('docs/decisions/0005-libraries.md').split('\n## Which, at run time\n')[1]?.split('\n## ')[0] ?? '';
  const taken = page.split('\n').flatMap((row) => matches(row.split('|')[2] ?? '', /\[([^\]]+)\]/g));
  expect(taken.toSorted()).toEqual([...new Set(used)].toSorted());
});

test('every version of etcd that the guide has a cluster run can be had in the playground', () => {
  const there = knownParts()
    .filter((name) => name.startsWith('etcd@'))
    .map((name) => partVersion(name));
  const pages = readdirSync(join(repository, 'docs/guide'), { recursive: true, encoding: 'utf8' });
  const asked = pages
    .filter((file) => file.endsWith('.md'))
    .flatMap((page) => blocksOf(join(repository, 'docs/guide', page)))
    .flatMap(({ content }) => matches(content, /\bversion"?: ?"(3[^"]+)"/g));
  expect(asked.length).toBeGreaterThan(4);
  // The one that the page on upgrades shows as refused.
  expect(asked.filter((version) => !there.includes(version))).toEqual(['3.4.44']);
});

test('the runbook on the operator names labels that its pods have, however it was installed', () => {
  const page = read('docs/guide/runbooks/operator-down.md');
  const [, selector = ''] = / -l (\S+=\S+)/.exec(page) ?? [];
  const [, other = ''] = /the label is `(\S+=\S+)`/.exec(page) ?? [];
  const labelsIn = (file: string) =>
    parseAllDocuments(read(file))
      .map((document) => document.toJS() as { kind?: string; spec?: { template?: { metadata?: { labels?: object } } } })
      .filter((object) => object.kind === 'Deployment')
      .map(({ spec }) => Object.entries(spec?.template?.metadata?.labels ?? {}).map((pair) => pair.join('=')));
  for (const file of ['example/deployment.yaml', 'deploy/install.yaml'])
    expect(labelsIn(file)).toEqual([expect.arrayContaining([selector])]);
  expect(labelsIn('deploy/install.yaml')).toEqual([expect.arrayContaining([other])]);
});
