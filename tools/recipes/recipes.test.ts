// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minorReleases } from '@operator-parts/etcd';
import { describe, expect, test } from 'vitest';
import { reasonPage } from '../generate/reason-page.ts';
import { partTable } from '../parts/table.ts';
import { repositoryRoot } from '../repository-root.ts';
import { complaintsAfter, type Edit } from './testing/patched-copy.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');

/** Heading of each recipe in CONTRIBUTING.md -> its text. */
const texts = new Map(
  read('CONTRIBUTING.md')
    .split(/^### /m)
    .filter((section) => section.startsWith('Add '))
    .map((section) => [section.split('\n')[0] ?? '', section.split('\n## ')[0] ?? '']),
);
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)\s#]+)\)/g)].map(([, path = '']) => path);
const recipes = new Map([...texts].map(([heading, text]) => [heading, linksIn(text)]));
const filesOf = (heading: string) => recipes.get(heading) ?? [];

/** The first change of each recipe, all in one copy: compiling takes seconds. */
const beginnings: readonly Edit[] = [
  {
    file: 'apps/operator/src/cluster/plan/step.ts',
    find: 'export type Step =\n',
    replace: "export type Step =\n  | { readonly do: 'trial' }\n",
  },
  {
    file: 'apps/operator/src/api/storage-source.ts',
    find: "'Directory'] as const",
    replace: "'Directory', 'Trial'] as const",
  },
  {
    file: 'apps/operator/src/api/etcd-cluster.ts',
    find: '    priorityClassName: optional(string({ maxLength: most.text })),\n',
    replace:
      "    priorityClassName: optional(string({ maxLength: most.text })),\n    trial: optional(bool({ description: 'A trial.' })),\n",
  },
  // Beside spec.pod: nothing but its use is missing then.
  {
    file: 'apps/operator/src/api/etcd-cluster.ts',
    find: '    pod: optional(nullable(podPolicy)),\n',
    replace: "$&    trial: optional(bool({ description: 'A trial.' })),\n",
  },
  {
    file: 'apps/operator/src/cluster/desired.ts',
    find: '/** A valid spec with',
    replace: 'export const trialOf = (spec: EtcdClusterSpec): boolean => spec.trial ?? true;\n$&',
  },
  {
    file: 'apps/operator/src/cluster/objects/member-pod.ts',
    find: 'export interface MemberPodOptions {',
    replace:
      'export const trialOf = (spec: EtcdClusterSpec): boolean | undefined => spec.pod?.trial;\nexport interface MemberPodOptions {',
  },
];

describe('the recipes of CONTRIBUTING.md', () => {
  test('are these', () => {
    expect([...recipes.keys()]).toEqual([
      'Add a field to the spec',
      'Add a step',
      'Add a condition or a reason',
      'Add a store',
      'Add an etcd version',
      'Add a Kubernetes version',
    ]);
  });

  test.each([...recipes])('%s: names files that exist', (_, files) => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(repositoryRoot, file)))).toEqual([]);
  });

  test.each(['A field of `spec.pod`:', 'Any other field:'])(
    'Add a field to the spec: %s four files at most are written by hand',
    (path) => {
      const steps = (texts.get('Add a field to the spec') ?? '').split(/^\d\. /m).slice(1);
      const others = steps.filter((step) => /^(A|Any other) field/.test(step) && !step.startsWith(path));
      const files = steps.filter((step) => !others.includes(step)).flatMap(linksIn);
      expect(others).toHaveLength(1);
      expect(files).toHaveLength(4);
    },
  );

  test('a field, a step and a store that are only begun do not compile, and the recipes name where', () => {
    const demanded = complaintsAfter(beginnings);
    const isNamedBy = (heading: string) => (file: string) => filesOf(heading).includes(file);
    const headings = ['Add a field to the spec', 'Add a step', 'Add a store'];
    const [field = [], step = [], store = []] = headings.map((heading) => demanded.filter(isNamedBy(heading)));
    expect(field).toEqual(['apps/operator/src/cluster/objects/pod-fields.ts']);
    expect(step).toContain('apps/operator/src/cluster/act/act.ts');
    expect(store).toContain('apps/operator/src/storage/store-options.ts');
    expect([...field, ...step, ...store].sort()).toEqual(demanded);
  });
});

describe('Add a condition or a reason', () => {
  const [source = ''] = filesOf('Add a condition or a reason');
  const withReason = (comment: string) =>
    read(source).replace('export const conditionReasons = {\n', `$&  ${comment}\n  trial: 'Trial',\n`);

  test('it is on the generated page', () => {
    expect(reasonPage('', withReason('/** A trial is on. To do: wait. */')).text).toContain(
      '### Trial\n\nA trial is on.',
    );
  });

  test('it is refused if it does not say what to do', () => {
    expect(() => reasonPage('', withReason('/** A trial is on. */'))).toThrow('Trial does not say what "To do:"');
  });
});

test('Add an etcd version: every maintained minor has a part, of its newest patch', () => {
  const maintained = minorReleases.filter(({ endOfLife }) => endOfLife === undefined);
  const newest = maintained.map(({ minor, newest: { major, minor: second, patch } }) => [
    `etcd@${minor}`,
    `${major}.${second}.${patch}`,
  ]);
  expect(newest.map(([name = '']) => [name, partTable[name]?.version])).toEqual(newest);
});

test('Add a Kubernetes version: what is built, what types were made from and what the lab says are one version', () => {
  const version = partTable['kubernetes']?.version;
  expect(read('packages/kube-lab/src/generated/discovery.json')).toContain(`"gitVersion": "v${version}"`);
  expect(read('packages/kube-lab/src/node/node-object.ts')).toContain(`kubeletVersion: 'v${version}'`);
});
