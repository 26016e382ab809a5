// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { inTurns, ratiosTo } from './rounds.ts';

const silence = async () => async () => 0;

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
  const medians = await inTurns([side('ours'), side('theirs')], 3, () => undefined, silence);
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

test('rounds in which others had the machine busy are made again, twice at most, and the quietest count', async () => {
  const loads = [0, 5, 0.1, 2, 0.2, 1];
  const lines: string[] = [];
  let wall = -1;
  const side = { name: 'ours', measure: async () => ({ wall: ++wall }) };
  const meter = async () => async () => loads.shift() ?? 0;
  const medians = await inTurns([side], 3, (line) => lines.push(line), meter);
  expect(medians.get('ours')).toEqual({ wall: 4 });
  expect(lines).toContain('median of 3, ours: wall 4.000 (2.000 to 5.000)');
  expect(lines).toContain('NOT TO BE TRUSTED: others kept the machine busy in 1 of 3 rounds');
});

test('the round that does not count is told that it does not', async () => {
  const told: boolean[] = [];
  const side = {
    name: 'ours',
    measure: async (isWarmUp: boolean) => {
      told.push(isWarmUp);
      return {};
    },
  };
  await inTurns([side], 2, () => undefined, silence);
  expect(told).toEqual([true, false, false]);
});
