// SPDX-License-Identifier: Apache-2.0
import type { ItemProblem, TutorialItem } from './tutorial-items.ts';

/** The table for readers, with the number of items in each state, and its errors. */
export function describeItems(items: readonly TutorialItem[], problems: readonly ItemProblem[]): string {
  const count = (state: TutorialItem['state']) => items.filter((item) => item.state === state).length;
  const lines = items.map(({ id, tutorial, state, text, tests }) => {
    const head = `${String(id).padStart(3)} ${tutorial} ${state.padEnd(7)} ${text}`;
    return [head, ...tests.map(({ file, name }) => `      ${file}: ${name}`)].join('\n');
  });
  const summary =
    `Of ${items.length} items of the tutorials ${count('works')} work as printed, ${count('differs')} work another way, ` +
    `${count('remark')} ask nothing of us, ${count('missing')} are missing.`;
  return `${[...lines, summary, ...problems.map(({ id, message }) => `Item ${id}: ${message}.`)].join('\n')}\n`;
}
