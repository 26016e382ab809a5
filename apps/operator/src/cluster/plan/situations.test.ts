// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { planCluster } from './plan.ts';
import { describeStep } from './situations/describe-step.ts';
import { situations } from './situations/index.ts';
import { nothing, now, type Row } from './situations/vocabulary.ts';

function planFor({ given }: Row) {
  const observation = given.reduce((seen, change) => change(seen), nothing());
  return planCluster(observation, now);
}

for (const [subject, rows] of Object.entries(situations)) {
  describe(subject, () => {
    for (const row of rows) {
      test(row.name, () => {
        const plan = planFor(row);
        const words = [...plan.steps, ...plan.waits].map(({ reason }) => reason);
        expect({ steps: plan.steps.map(({ step }) => describeStep(step)), situation: plan.situation }).toEqual({
          steps: row.steps,
          situation: row.situation,
        });
        if (row.because) expect(words.join('\n')).toContain(row.because);
      });
    }
  });
}

describe('the table', () => {
  const all = Object.values(situations).flat();

  test('has at least 150 rows, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map((row) => row.name)).size).toBe(all.length);
  });

  test('says what is waited for wherever there is nothing to do and the cluster is not at rest', () => {
    const silent = all.filter((row) => {
      const { steps, waits, situation } = planFor(row);
      const speaks = ['steady', 'paused', 'invalid', 'deleting'].includes(situation);
      return !speaks && steps.length === 0 && waits.length === 0;
    });
    expect(silent.map((row) => row.name)).toEqual([]);
  });
});
