// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { planCluster } from './plan.ts';
import { describeStep } from './testing/situations/describe-step.ts';
import { situations } from './testing/situations/index.ts';
import { nothing, now, type Row } from './testing/situations/vocabulary.ts';

function planFor({ given }: Row) {
  const observation = given.reduce((seen, change) => change(seen), nothing());
  return planCluster(observation, now);
}

describe.each(Object.entries(situations))('%s', (_subject, rows) => {
  test.each(rows)('$name', (row) => {
    const { steps, waits, situation } = planFor(row);
    const words = [...steps, ...waits].map(({ reason }) => reason).join('\n');
    expect({ steps: steps.map(({ step }) => describeStep(step)), situation }).toEqual({
      steps: row.steps,
      situation: row.situation,
    });
    expect(words).toContain(row.because ?? '');
  });
});

describe('the table', () => {
  const all = Object.values(situations).flat();

  test('has at least 150 rows, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map((row) => row.name)).size).toBe(all.length);
  });

  test('says what it is waiting for wherever there is nothing to do and the cluster is not at rest', () => {
    const withoutReason = all.filter((row) => {
      const { steps, waits, situation } = planFor(row);
      const speaks = ['steady', 'paused', 'invalid', 'deleting'].includes(situation);
      return !speaks && steps.length === 0 && waits.length === 0;
    });
    expect(withoutReason.map((row) => row.name)).toEqual([]);
  });
});
