// SPDX-License-Identifier: Apache-2.0
import { isTest, type Tree } from '../check/tree.ts';
import { type ChecklistLine, checklist } from './checklist.ts';

/** A name of a test, a group of tests or a situation in a table of tests. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

export interface CoveredLine extends ChecklistLine {
  readonly tests: readonly NamedTest[];
}

export interface Coverage {
  readonly lines: readonly CoveredLine[];
  /** Tests with a number that no line has. */
  readonly strays: readonly (NamedTest & { readonly number: number })[];
}

/** The names that count: of tests, groups, table rows and situations. They may also contain numbers of other lists. */
const taggedName =
  /(?:\b(?:test|describe)\(|\)\(|\bname:|\[)\s*(['"`])((?:(?:\[\d+\]|[CD]-?\d+),? )+)((?:(?!\1|\n).)*)\1/g;

/** The list is about what we ship and how we build it. The tests of the list itself name lines without proving them. */
const homes = /^(apps|tools(?!\/check)|test|example|bench)\//;

/** Finds the tests of each line. Reads only texts, which takes a fraction of a second. */
export function coverageOf(tree: Tree, lines: readonly ChecklistLine[] = checklist): Coverage {
  const found = tree.files.filter((file) => homes.test(file) && isTest(file)).flatMap((file) => namesIn(tree, file));
  const known = new Set(lines.map(({ number }) => number));
  return {
    lines: lines.map((line) => ({
      ...line,
      tests: found.filter(({ number }) => number === line.number).map(({ file, name }) => ({ file, name })),
    })),
    strays: found.filter(({ number }) => !known.has(number)),
  };
}

function namesIn(tree: Tree, file: string): readonly (NamedTest & { readonly number: number })[] {
  return [...tree.read(file).matchAll(taggedName)].flatMap(([, , tags = '', name = '']) =>
    [...tags.matchAll(/\[(\d+)\]/g)].map(([, digits]) => ({ file, name, number: Number(digits) })),
  );
}
