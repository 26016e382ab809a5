// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Tree } from '../check/tree.ts';
import { repositoryRoot } from '../repository-root.ts';
import { describeItems } from './describe-items.ts';
import { itemsFile, problemsOf, readItems } from './tutorial-items.ts';

function treeOf(files: Readonly<Record<string, string>>): Tree {
  return { root: '', files: Object.keys(files), has: (path) => path in files, read: (path) => files[path] ?? '' };
}

const item = (state: string, ...tests: readonly string[]) =>
  readItems(JSON.stringify([{ id: 7, tutorial: '004', text: 'a thing', state, tests }]));

describe('an item of the tutorials', () => {
  const tree = treeOf({
    'a/x.test.ts': "test('[3] it works', () => {});\ntest('plain', () => {});",
    'page.md': '```console\n$ kubectl get pods\n```\n',
    'a/product.ts': "const name = 'plain';",
  });
  const told = (...args: Parameters<typeof item>) => problemsOf(item(...args), tree).map(({ message }) => message);

  test('is shown by a test, or by a line of a page that is typed', () => {
    expect(told('works', 'a/x.test.ts: [3] it works', 'a/x.test.ts: plain')).toEqual([]);
    expect(told('differs', 'page.md: $ kubectl get pods')).toEqual([]);
    expect(told('remark')).toEqual([]);
  });

  test.each([
    ['missing', [], 'missing: a thing'],
    ['works', [], 'no test is named'],
    ['works', ['a/x.test.ts: it works'], 'no test a/x.test.ts: it works'],
    ['works', ['a/y.test.ts: plain'], 'no test a/y.test.ts: plain'],
    ['works', ['a/product.ts: plain'], 'no test a/product.ts: plain'],
    ['works', ['page.md: kubectl get'], 'no test page.md: kubectl get'],
    ['perhaps', [], 'its state is perhaps: write works, differs, missing, remark'],
  ])('that is %s with %j is a problem', (state, tests, message) => {
    expect(told(state, ...tests)).toEqual([message]);
  });

  test('is printed with its tests, its problem, and the count', () => {
    const items = item('missing', 'a/x.test.ts: plain');
    expect(describeItems(items, problemsOf(items, tree))).toBe(
      '  7 004 missing a thing\n      a/x.test.ts: plain\n' +
        'Of 1 items of the tutorials 0 work as printed, 0 work another way, 0 ask nothing of us, 1 are missing.\n' +
        'Item 7: missing: a thing.\n',
    );
  });
});

test('there are 144 items, numbered without gaps', () => {
  const items = readItems(readFileSync(join(repositoryRoot, itemsFile), 'utf8'));
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 144 }, (_, index) => index + 1));
});
