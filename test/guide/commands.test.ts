// SPDX-License-Identifier: Apache-2.0
/** Every command in the README and the guide is typed by a test, and each block is assigned to one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';
import { actionsOf } from './testing/page.ts';
import { installPage, longPages, releasePages, troublePages, typedPages } from './testing/typed-pages.ts';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const guide = readdirSync(join(repository, 'docs/guide'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/guide/${file}`);
const pages = ['README.md', ...guide];

/** A block that `guide.lab.test.ts` does not type: its beginning, the test that covers it, and the proof. */
interface Elsewhere {
  readonly page: string;
  readonly begins: string;
  readonly by: string;
  readonly seenBy: string;
}

const elsewhere: readonly Elsewhere[] = [
  {
    page: 'README.md',
    begins: 'git clone <this repository> etcd-operator && cd etcd-operator\nnpm start',
    by: 'apps/playground/src/session.lab.test.ts',
    seenBy: 'command: playgroundCommand()',
  },
  { page: 'README.md', begins: 'npm test', by: '.ci/run', seenBy: 'npm test' },
  // In a clone, while the other commands of the page need none.
  {
    page: 'docs/guide/kubectl-etcd.md',
    begins: 'npm run build -- kubectl-etcd',
    by: 'test/guide/plugin.lab.test.ts',
    seenBy: "blocksOf(join(repository, 'docs/guide/kubectl-etcd.md'))",
  },
  // krew is not among the parts; its manifest is held against its rules.
  {
    page: 'docs/guide/kubectl-etcd.md',
    begins: 'kubectl krew install',
    by: 'tools/release/cheap-artefacts.test.ts',
    seenBy: 'manifest.spec.caveats',
  },
  // The reader's own files.
  {
    page: 'docs/guide/backup.md',
    begins: '# credentials',
    by: 'apps/playground/src/lab/object-store.ts',
    seenBy: 'credentials: `[default]',
  },
  {
    page: 'docs/guide/backup.md',
    begins: '# config',
    by: 'apps/playground/src/lab/object-store.ts',
    seenBy: 'config: `[default]',
  },
  // They need a store that the reader's machine can reach. The same commands are typed below through a forwarded port.
  {
    page: 'docs/guide/backup.md',
    begins: 'kubectl etcd backup browse kept-backup',
    by: 'apps/kubectl-etcd/src/browse/browse.lab.test.ts',
    seenBy: "lab.type('backup diff before live')",
  },
  {
    page: 'docs/guide/backup.md',
    begins: 'kubectl etcd backup list --stored',
    by: 'apps/kubectl-etcd/src/browse/browse.lab.test.ts',
    seenBy: 'listed(`--store s3://',
  },
  // Where the reader's files, programs and registry are is the reader's affair.
  {
    page: 'docs/guide/from-a-release.md',
    begins: 'mkdir my-etcd && cd my-etcd\nexport RELEASE=',
    by: 'test/e2e/from-a-release.version.e2e.test.ts',
    seenBy: 'RELEASE: release',
  },
  {
    page: 'docs/guide/from-a-release.md',
    begins: 'export PATH=$PWD/bin:$PATH',
    by: 'test/e2e/from-a-release.version.e2e.test.ts',
    seenBy: "join(folder, 'bin')",
  },
  {
    page: 'docs/guide/from-a-release.md',
    begins: 'skopeo copy --all',
    by: 'tools/release/verify/verify-on-cluster.ts',
    seenBy: 'cluster.importArchive(',
  },
  // The kinds of the Prometheus operator are in no cluster of these tests.
  {
    page: 'docs/guide/monitoring.md',
    begins: 'helm upgrade etcd-operator',
    by: 'test/e2e/manifests.e2e.test.ts',
    seenBy: "['serviceMonitor', 'podMonitor', 'prometheusRule']",
  },
  {
    page: 'docs/guide/monitoring.md',
    begins: 'kubectl apply --namespace monitoring',
    by: 'tools/deploy/monitoring/prometheus-operator.lab.test.ts',
    seenBy: 'podMonitors()',
  },
  // The same commands with a name of a cluster are typed by another page.
  {
    page: 'docs/guide/troubleshooting.md',
    begins:
      "kubectl get etcdcluster NAME -o jsonpath='{.status.plan}'\nkubectl describe etcdcluster NAME\nkubectl etcd status NAME",
    by: 'docs/guide/first-cluster.md',
    seenBy: 'kubectl describe etcdcluster my-cluster',
  },
];

const allTyped = [
  installPage,
  ...typedPages,
  ...longPages,
  ...Object.values(troublePages),
  ...Object.values(releasePages),
];

test('every block is typed, or listed here with who does what it says', () => {
  const typed = new Set(allTyped);
  const unknown = pages.flatMap((page) =>
    blocksOf(join(repository, page))
      // A diagram contains no commands.
      .filter(({ language }) => language !== 'mermaid')
      .filter(({ language }) => !(typed.has(page) && (language === 'sh' || language === 'yaml')))
      .filter(({ content }) => !elsewhere.some((block) => block.page === page && content.startsWith(block.begins)))
      .map(({ line, content }) => `${page}:${line} ${content.split('\n')[0]}`),
  );
  expect(unknown).toEqual([]);
});

/** Where pages are typed by their sections. */
const typists = [...readdirSync(join(repository, 'test/guide')), '../e2e/from-a-release.version.e2e.test.ts']
  .filter((file) => file.endsWith('.test.ts') && file !== 'commands.test.ts')
  .map((file) => read(join('test/guide', file)));

test.each(Object.entries({ ...troublePages, ...releasePages }))(
  'every section of %s with something to do is named by the test that types the page',
  (name, page) => {
    const own = typists.filter((text) => new RegExp(`\\bfollow\\(${name}\\b`).test(text));
    expect(own.length).toBeGreaterThan(0);
    const isWhole = own.some((text) => new RegExp(`\\bfollow\\(${name}\\)`).test(text));
    const sections = new Set(actionsOf(join(repository, page)).map(({ section }) => section));
    const isNamed = (section: string) =>
      own.some((text) => text.includes(`'${section.replaceAll("'", "\\'")}'`) || text.includes(`"${section}"`));
    expect(isWhole ? [] : [...sections].filter((section) => !isNamed(section))).toEqual([]);
  },
);

test('a yaml block is a file that is saved and used', () => {
  const unused = allTyped.flatMap((page) => {
    const blocks = blocksOf(join(repository, page));
    const scripts = blocks.filter(({ language }) => language === 'sh').map(({ content }) => content);
    return blocks
      .filter(({ language }) => language === 'yaml')
      .map(({ content }) => /^# (\S+\.yaml)\n/.exec(content)?.[1])
      .filter((file) => file === undefined || !scripts.some((script) => script.includes(file)))
      .map((file) => `${page}: ${file}`);
  });
  expect(unused).toEqual([]);
});

test.each(elsewhere)('$page: "$begins" is done by $by', ({ page, begins, by, seenBy }) => {
  expect(blocksOf(join(repository, page)).filter(({ content }) => content.startsWith(begins))).toHaveLength(1);
  expect(read(by)).toContain(seenBy);
});

test('every npm command that is named exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(([, run, own]) => run ?? own ?? ''),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('every file of the repository that is named or linked exists', () => {
  const missing = pages.flatMap((page) => {
    const linked = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
      join(dirname(page), path),
    );
    const named = [...read(page).matchAll(/\b((?:example|deploy)\/[\w./-]*\w)/g)].map(([, path = '']) => path);
    return [...linked, ...named]
      .filter((path) => !existsSync(join(repository, path)))
      .map((path) => `${page}: ${path}`);
  });
  expect(missing).toEqual([]);
});
