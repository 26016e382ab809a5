// SPDX-License-Identifier: Apache-2.0
import { parse } from 'yaml';
import type { Tree } from '../check/tree.ts';
import type { NamedTest } from './coverage.ts';

/** The file of the items. */
export const itemsFile = 'test/tutorials/items.yaml';

/**
 * The state of an item: it works as printed; it works in another way, which the guide for readers of the tutorials
 * explains; it does not exist; it requires nothing from us.
 */
const states = ['works', 'differs', 'missing', 'remark'] as const;
export type ItemState = (typeof states)[number];

/** One thing that the tutorials teach or print, or that their readers ask. */
export interface TutorialItem {
  readonly id: number;
  /** Which of the five texts, `000` to `004`. */
  readonly tutorial: string;
  readonly text: string;
  readonly state: ItemState;
  /** A test by its file and name, or a line of a page that a test types. */
  readonly tests: readonly NamedTest[];
}

/** The errors of the table, item by item. */
export interface ItemProblem {
  readonly id: number;
  readonly message: string;
}

/** Reads the table. Each test is written `file: name`. */
export function readItems(text: string): readonly TutorialItem[] {
  const rows = parse(text) as readonly (Omit<TutorialItem, 'tests'> & { readonly tests?: readonly string[] })[];
  return rows.map(({ tests = [], ...item }) => ({ ...item, tests: tests.map(testOf) }));
}

function testOf(text: string): NamedTest {
  const [file = '', ...name] = text.split(': ');
  return { file, name: name.join(': ') };
}

/** Searches the tests that the items name. */
export function problemsOf(items: readonly TutorialItem[], tree: Tree): readonly ItemProblem[] {
  return items.flatMap((item) => {
    const { id, state, tests } = item;
    if (!states.includes(state)) return [{ id, message: `its state is ${state}: write ${states.join(', ')}` }];
    if (state === 'missing') return [{ id, message: `missing: ${item.text}` }];
    if (state !== 'remark' && tests.length === 0) return [{ id, message: 'no test is named' }];
    return tests.flatMap((test) => (exists(test, tree) ? [] : [{ id, message: `no test ${test.file}: ${test.name}` }]));
  });
}

/** In a test, a name is in quotes, alone or after the numbers of other lists; in a page it is a line. */
function exists({ file, name }: NamedTest, tree: Tree): boolean {
  if (name === '' || !tree.has(file)) return false;
  const text = tree.read(file);
  if (file.endsWith('.md')) return text.split('\n').some((line) => line.trim() === name);
  if (!file.endsWith('.test.ts') && !file.startsWith('test/')) return false;
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`));
}
