// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { inTurns, ratiosTo } from './rounds.ts';

test('sides are measured in turns, forwards and backwards, after a round that does not count', async () => {
  const order: string[] = [];
  const walls: Readonly<Record<string, number[]>> = { ours: [99, 1, 2, 9], theirs: [99, 4, 5, 4] };
  const side = (name: string) => ({
    name,
    measure: async () => {
      order.push(name);
      return { wall: walls[name]?.shift() ?? 0 };
    },
  });
  const medians = await inTurns([side('ours'), side('theirs')], 3, () => undefined);
  expect(order.join(' ')).toBe('ours theirs theirs ours ours theirs theirs ours');
  expect(Object.fromEntries(medians)).toEqual({ ours: { wall: 2 }, theirs: { wall: 4 } });
  expect(ratiosTo(medians, 'ours', 'theirs')).toEqual({ 'wall vs theirs': 0.5 });
});

test('a measure that the other side does not have gives no ratio that could meet a bar', () => {
  const medians = new Map([
    ['ours', { wall: 1 }],
    ['theirs', {}],
  ]);
  expect(ratiosTo(medians, 'ours', 'theirs')).toEqual({ 'wall vs theirs': Number.NaN });
});
