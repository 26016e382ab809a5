// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import type { Check, Problem } from '../check.ts';
import { isTest, type Tree } from '../tree.ts';

const folder = 'docs/security/';

/** A Markdown link: text in brackets, which may contain one pair of brackets, and its target. */
const link = /\[((?:[^[\]]|\[[^[\]]*\])+)\]\(([^)\s]+)\)/g;

/** Pages on security prove their claims by tests: each section or row with a claim names an existing test. */
export const namedTests: Check = {
  name: 'tests that pages on security name',
  async run(tree) {
    const pages = tree.files.filter((file) => file.startsWith(folder) && file.endsWith('.md'));
    return { problems: pages.flatMap((page) => [...unknownTests(tree, page), ...unproven(tree, page)]) };
  },
};

/** Links to tests whose text is not the name of a test there. */
function unknownTests(tree: Tree, page: string): readonly Problem[] {
  const lines = tree.read(page).split('\n');
  return lines.flatMap((text, index) =>
    testsIn(page, text)
      .filter(({ file, name }) => tree.has(file) && !hasTest(tree.read(file), name))
      .map(({ file, name }) => ({
        rule: 'unknown-test',
        file: page,
        line: index + 1,
        message: `${file} has no test "${name}": name one that shows the same, or write it`,
      })),
  );
}

/** Numbered sections, and rows of tables with a column "test", without any test. */
function unproven(tree: Tree, page: string): readonly Problem[] {
  const text = tree.read(page);
  const sections = text.split(/^(?=## )/m).filter((section) => /^## \d+\n/.test(section));
  const problem = (what: string) => ({
    rule: 'untested-promise',
    file: page,
    message: `${what} names no test: link one by its name`,
  });
  const bare = sections.filter((section) => testsIn(page, section).length === 0);
  return [
    ...bare.map((section) => problem(`section ${section.slice(3, section.indexOf('\n'))}`)),
    ...rowsWithTests(text)
      .filter((row) => testsIn(page, row).length === 0)
      .map((row) => problem(`"${row.split('|')[1]?.trim()}"`)),
  ];
}

/** The rows of tables with a column for tests. */
export function rowsWithTests(text: string): readonly string[] {
  const tables = text.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n');
    return /\| *test *\|/.test(head) ? rows : [];
  });
}

function testsIn(page: string, text: string): readonly { readonly file: string; readonly name: string }[] {
  return [...text.matchAll(link)]
    .map(([, name = '', target = '']) => ({ name, file: posix.join(posix.dirname(page), target) }))
    .filter(({ file }) => isTest(file));
}

/** A text in quotes of any kind, on one line. */
function hasTest(text: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`));
}
