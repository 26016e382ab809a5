// SPDX-License-Identifier: Apache-2.0
/** The claims of docs/from-the-tutorials.md. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocksIn } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const page = 'docs/from-the-tutorials.md';

test.each([page, 'example/README.md', 'example/statefulset-operator/README.md'])('every path in %s exists', (file) => {
  const text = read(file);
  const linked = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => join(dirname(file), path));
  const named = [...text.matchAll(/(?<![\w./-])((?:docs|apps|packages|tools|test|example)\/[\w./-]*\w)/g)].map(
    ([, path = '']) => path,
  );
  expect(linked.length).toBeGreaterThan(4);
  // The reader of an example works in its folder.
  const places = ['', 'example/network-controller', 'example/statefulset-operator'];
  const exists = (path: string) => places.some((place) => existsSync(join(repository, place, path)));
  const missing = [...linked, ...named].filter((path) => path !== 'apps/v1' && !exists(path));
  expect(missing).toEqual([]);
});

test('every chapter says where to read, what to type and what differs', () => {
  const chapters = read(page)
    .split(/^## (?=\d)/m)
    .slice(1);
  expect(chapters.map((chapter) => chapter.split('.')[0])).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  const lacking = chapters.flatMap((chapter) =>
    ['Teaches', 'Type', 'Read first', 'Today']
      .filter((part) => !chapter.includes(`\n**${part}**`))
      .map((part) => `${chapter.split('\n')[0]}: ${part}`),
  );
  expect(lacking).toEqual([]);
});

test('what is inside a member’s pod is what the operator makes', () => {
  const printed = blocksIn(read(page)).find(({ language }) => language === 'text')?.content ?? '';
  const states = ['seed', 'joining-member'].map((name) => {
    const pod = JSON.parse(read(`apps/operator/src/cluster/objects/golden/pod-${name}.json`)) as {
      readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly command: readonly string[] }[] };
    };
    expect(printed.split('\n').map((line) => line.trim())).toEqual(pod.spec.containers[0]?.command);
    return pod.metadata.annotations['etcd.database.coreos.com/initial-cluster-state'];
  });
  expect(states).toEqual(['new', 'existing']);
});

test('the member that leaves on scale-down is the one that the page says', () => {
  const [, list = ''] = /in this order:\n\n(.*?)\n\n/s.exec(read(page)) ?? [];
  // Each line, and the situation of the planner that shows it.
  const shown = {
    '1. a learner, which does not vote yet': '[47] a learner is removed before any voter',
    '2. a member that is to be replaced anyway': undefined,
    '3. a member that is not healthy': '[47] an unhealthy one goes before a healthy one, and is not waited for',
    '4. a member that differs from the spec':
      '[47] fault 18: only the leader differs from the spec: leadership moves before it is removed',
    '5. the youngest of those that are left, and never the leader if there is a choice':
      '[47] the youngest goes first among equals',
  };
  expect(list.split('\n')).toEqual(Object.keys(shown));
  const situations = read('apps/operator/src/cluster/plan/testing/situations/scale.ts');
  const named = Object.values(shown).filter((situation) => situation !== undefined);
  expect(named.filter((situation) => !situations.includes(`'${situation}'`))).toEqual([]);
});

test('the README leads to it, to the three examples and to a real Kubernetes', () => {
  const text = read('README.md');
  for (const path of [
    page,
    'docs/real-kubernetes.md',
    'example/README.md',
    'example/network-controller',
    'example/sidecar-injector',
    'example/statefulset-operator',
  ])
    expect(text).toContain(`](${path})`);
});
