// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  type Condition,
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  setConditions,
} from './conditions.ts';

const noon = Date.parse('2026-01-01T12:00:00.750Z');
const later = noon + 60_000;
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'AllUp',
  message: 'three of three',
  observedGeneration: 1,
} as const;

describe('conditions', () => {
  test('a new condition gets the time, in whole seconds', () => {
    expect(setCondition(undefined, ready, noon)).toEqual([{ ...ready, lastTransitionTime: '2026-01-01T12:00:00Z' }]);
  });

  test('the transition time moves only when the status changes', () => {
    const before = setCondition([], ready, noon);
    const reworded = setCondition(before, { ...ready, message: 'four of four', observedGeneration: 2 }, later);
    expect(reworded[0]).toMatchObject({ message: 'four of four', lastTransitionTime: '2026-01-01T12:00:00Z' });
    const failed = setCondition(reworded, { ...ready, status: 'False' }, later);
    expect(failed[0]).toMatchObject({ status: 'False', lastTransitionTime: '2026-01-01T12:01:00Z' });
  });

  test('setting what is there returns the very same array, so that nothing is written', () => {
    const before = setCondition([], ready, noon);
    expect(setCondition(before, ready, later)).toBe(before);
    expect(removeCondition(before, 'Absent')).toBe(before);
  });

  test('others keep their place and their identity', () => {
    const other: Condition = { ...ready, type: 'Other', lastTransitionTime: '2020-01-01T00:00:00Z' };
    const after = setConditions([other], [ready, { ...ready, type: 'Third' }], noon);
    expect(after.map(({ type }) => type)).toEqual(['Other', 'Ready', 'Third']);
    expect(after[0]).toBe(other);
    expect(setCondition(after, { ...ready, status: 'Unknown' }, noon).map(({ type }) => type)).toEqual([
      'Other',
      'Ready',
      'Third',
    ]);
  });

  test('finds, asks and removes', () => {
    const conditions = setCondition([], ready, noon);
    expect(findCondition(conditions, 'Ready')?.reason).toBe('AllUp');
    expect(isConditionTrue(conditions, 'Ready')).toBe(true);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
    expect(removeCondition(conditions, 'Ready')).toEqual([]);
  });
});
