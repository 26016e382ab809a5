// SPDX-License-Identifier: Apache-2.0
/** Diagrams use the names in the code: phases of a restore, states of a member, steps of an upgrade, runbooks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditionReasons } from '@etcd-operator/operator';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const diagrams = new Map(
  blocksOf(join(repository, 'docs/guide/diagrams.md')).map(({ section, content }) => [section, content]),
);
const statesIn = (section: string) => {
  const arrows = [...(diagrams.get(section) ?? '').matchAll(/^ {2}(\S+) --> ([^\s:]+)/gm)];
  const alone = matches(diagrams.get(section) ?? '', /^ {2}(\w+)$/gm);
  const joined = arrows.flatMap(([, from = '', to = '']) => [from, to]).filter((state) => state !== '[*]');
  return new Set([...joined, ...alone]);
};

test('the phases of a restore are those of its status', () => {
  const page = read('docs/reference/etcdrestores.md');
  const row = /^\| `phase` \|(.*)$/m.exec(page)?.[1] ?? '';
  const phases = matches(row, /`(\w+)`/g);
  expect(phases.length).toBeGreaterThan(8);
  expect([...statesIn('A restore')].toSorted()).toEqual(phases.toSorted());
});

test('the states of a member are those of the planner', () => {
  const source = read('apps/operator/src/cluster/plan/member-health.ts').split('/** What etcd says')[0] ?? '';
  const kinds = matches(source, /readonly kind: '(\w+)'/g);
  expect(kinds.length).toBeGreaterThan(8);
  expect([...statesIn('A member')].toSorted()).toEqual(kinds.toSorted());
});

test('the steps of an upgrade are steps of the planner', () => {
  const steps = matches(read('apps/operator/src/cluster/plan/step.ts'), /readonly do: '(\w+)'/g);
  const named = matches(diagrams.get('An upgrade of etcd') ?? '', /\b([a-z]+(?:[A-Z][a-z]+)+)\b/g);
  const isProse = (word: string) => word === 'currentVersion';
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((word) => !isProse(word) && !steps.includes(word))).toEqual([]);
});

test('the page for the night leads to every runbook, by reasons that there are', () => {
  const page = read('docs/guide/runbooks/night.md');
  const others = readdirSync(join(repository, 'docs/guide/runbooks')).filter((file) => file !== 'night.md');
  expect(others.filter((file) => !page.includes(`](${file})`))).toEqual([]);
  const reasons = matches(page, /not Available: (\w+)/g);
  expect(reasons.length).toBeGreaterThan(4);
  expect(reasons.filter((reason) => !(Object.values(conditionReasons) as string[]).includes(reason))).toEqual([]);
  // The final nodes are titles of these pages, or instructions.
  const [diagram] = blocksOf(join(repository, 'docs/guide/runbooks/night.md')).filter(
    ({ language }) => language === 'mermaid',
  );
  const ends = matches(diagram?.content ?? '', /--> \w+\["([a-z -]+)"\]/g);
  expect(ends.length).toBeGreaterThan(9);
  expect(ends.filter((name) => !others.includes(`${name.replaceAll(' ', '-')}.md`))).toEqual([]);
});

test('every runbook is on the front page of the guide', () => {
  const front = read('docs/guide/README.md');
  const runbooks = readdirSync(join(repository, 'docs/guide/runbooks'));
  expect(runbooks.filter((file) => !front.includes(`](runbooks/${file})`))).toEqual([]);
});
