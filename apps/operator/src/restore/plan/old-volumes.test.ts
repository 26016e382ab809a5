// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { finalState } from '../testing/final-state.ts';
import { RestoreModel, run } from '../testing/model.ts';
import { planRestore } from './plan.ts';

describe('a restore', () => {
  describe('whose old volumes have a retention', () => {
    const succeeded = () => {
      const model = new RestoreModel();
      model.retention = 3_600_000;
      return run(model);
    };

    test('keeps them until it is over, then deletes them and says so', () => {
      const model = succeeded();
      expect(model.listed).toEqual(['a', 'b', 'd']);
      model.wait(3_000_000);
      model.pass(Number.POSITIVE_INFINITY);
      expect(model.volumes.filter(({ terminating }) => terminating)).toEqual([]);
      model.wait(600_000);
      for (let round = 0; round < 3; round++) model.pass(Number.POSITIVE_INFINITY);
      expect(finalState(model)).toMatchObject({ volumes: [2], wrongs: [] });
      expect(model.listed).toEqual([]);
    });

    test('keeps them while the restored cluster is not Available', () => {
      const model = succeeded();
      Object.assign(model.cluster ?? {}, { grown: false, grow: Number.NEGATIVE_INFINITY });
      model.wait(4_000_000);
      model.pass(Number.POSITIVE_INFINITY);
      expect(finalState(model)).toMatchObject({ volumes: [1, 1, 1, 2], wrongs: [] });
    });

    test('keeps them when the wall clock is set ahead, until the operator has seen the retention pass, and looks again then', () => {
      const model = succeeded();
      model.now += 9_000_000_000;
      model.pass(Number.POSITIVE_INFINITY);
      expect(finalState(model)).toMatchObject({ volumes: [1, 1, 1, 2], wrongs: [] });
      const { requeueAfter = 0 } = planRestore(model.observation(), model.now);
      expect(requeueAfter).toBeGreaterThan(3_500_000);
      model.wait(requeueAfter);
      for (let round = 0; round < 3; round++) model.pass(Number.POSITIVE_INFINITY);
      expect(finalState(model)).toMatchObject({ volumes: [2], wrongs: [] });
    });
  });
});
