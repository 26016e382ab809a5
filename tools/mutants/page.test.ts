// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { type Notice, pageWith, rowsOf } from './page.ts';

const mutants = ['one', 'two'].map((name) => ({ name, breaks: `breaks ${name}`, file: '', text: '', replacement: '' }));
const caught: Notice = { verdict: 'caught', by: ['apps/operator/src/a.test.ts'], bySimulation: undefined };
const survived: Notice = { verdict: 'survived', by: [], bySimulation: [] };

test('a mutant that is not tried this time keeps its row, and one that is gone loses it', () => {
  const first = pageWith(mutants, new Map([['one', caught]]), undefined);
  const second = pageWith(mutants, new Map([['two', survived]]), first);
  expect([...rowsOf(second).values()]).toEqual([
    '| one | breaks one | a.test.ts | not asked |',
    '| two | breaks two | **nobody** | - |',
  ]);
  expect([...rowsOf(pageWith(mutants.slice(1), new Map(), second)).keys()]).toEqual(['two']);
});
