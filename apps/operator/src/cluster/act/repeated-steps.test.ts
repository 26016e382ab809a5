// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { Step } from '../plan/step.ts';
import { type DoneSteps, isRepeated, pauseBefore, withDone } from './repeated-steps.ts';

const update: Step = { do: 'updatePod', name: 'c-a', uid: 'u-a', fields: ['labels'] };
const other: Step = { do: 'updatePod', name: 'c-b', uid: 'u-b', fields: ['labels'] };
const nothing: DoneSteps = new Map();

/** Proposes a step every 20 ms and does it whenever it is allowed; returns the times at which it was done. */
function insist(step: Step, forMilliseconds: number): readonly number[] {
  const times: number[] = [];
  let done = nothing;
  for (let now = 0; now < forMilliseconds; now += 20) {
    if (pauseBefore(step, done, now) > 0) continue;
    done = withDone(step, done, now);
    times.push(now);
  }
  return times;
}

describe('a step that the plan asks for again and again', () => {
  test('is done three times at once, then after 1 s, 2 s, 4 s and so on, at most every 30 s', () => {
    const times = insist(update, 180_000);
    expect(times.map((time, index) => time - (times[index - 1] ?? 0))).toEqual([
      0, 20, 20, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000,
    ]);
  });

  test('is suspicious from the fourth time on', () => {
    const once = withDone(update, nothing, 0);
    const twice = withDone(update, once, 20);
    const thrice = withDone(update, twice, 40);
    expect([nothing, once, twice, thrice].map((done) => isRepeated(update, done, 60))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('is a new one after a minute in which it was not needed', () => {
    let done = nothing;
    for (const now of [0, 20, 40]) done = withDone(update, done, now);
    expect(isRepeated(update, done, 60_040)).toBe(true);
    expect(isRepeated(update, done, 60_041)).toBe(false);
    expect(pauseBefore(update, done, 60_041)).toBe(0);
    // Old entries are dropped.
    expect([...withDone(other, done, 60_041)]).toHaveLength(1);
  });

  test('holds no other step back', () => {
    let done = nothing;
    for (const now of [0, 20, 40]) done = withDone(update, done, now);
    expect(pauseBefore(update, done, 60)).toBe(980);
    expect(pauseBefore(other, done, 60)).toBe(0);
    expect(pauseBefore({ ...update, uid: 'u-new' }, done, 60)).toBe(0);
  });

  test('is the same step whatever the version of its object is', () => {
    const settle = (resourceVersion: string): Step => ({
      do: 'deletePod',
      name: 'c-a',
      uid: 'u-a',
      force: true,
      resourceVersion,
    });
    let done = nothing;
    for (const now of [0, 20, 40]) done = withDone(settle(String(now)), done, now);
    expect(pauseBefore(settle('9'), done, 60)).toBe(980);
  });

  test('is not slowed if it is meant to be repeated: entries are written until a snapshot is taken', () => {
    expect(insist({ do: 'nudgeSnapshot', entries: 1000 }, 200)).toHaveLength(10);
  });
});
