// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { finalState, unchangedState } from '../testing/final-state.ts';
import { RestoreModel, run } from '../testing/model.ts';

describe('a copy of a cluster that serves', () => {
  test('becomes a new cluster, and what was copied is recorded', () => {
    const model = run(new RestoreModel({ isClone: true }, false));
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 1, marker: undefined, wrongs: [] });
    expect(model.source).toMatchObject({ path: 'etcdcluster/origin', verified: 'Live', sha256: 'cd', bytes: 8192 });
  });

  test('succeeds also if the operator is killed after any of its writes', () => {
    const { writes } = run(new RestoreModel({ isClone: true }, false));
    expect(writes).toBeGreaterThan(8);
    for (let after = 1; after <= writes; after++) {
      const model = new RestoreModel({ isClone: true }, false);
      while (!model.pass(after));
      model.crash();
      run(model);
      expect({ after, ...finalState(model) }).toMatchObject({ after, phase: 'Succeeded', incarnation: 1, wrongs: [] });
    }
  });

  test('never takes the place of a cluster that is there, or that is created meanwhile', () => {
    const there = run(new RestoreModel({ isClone: true }));
    expect(finalState(there)).toEqual({ phase: 'Failed', ...unchangedState });
    expect(there.status?.reason).toContain('EtcdCluster c exists already');

    const late = new RestoreModel({ isClone: true }, false);
    while (!late.source) late.pass(Number.POSITIVE_INFINITY);
    const other = new RestoreModel();
    Object.assign(late, { cluster: other.cluster, pods: other.pods, volumes: other.volumes });
    run(late);
    expect(finalState(late)).toEqual({ phase: 'Failed', ...unchangedState });
  });

  test('whose snapshot does not arrive sound leaves nothing', () => {
    const model = run(new RestoreModel({ isClone: true, seedBreaks: true }, false));
    expect(finalState(model)).toMatchObject({
      phase: 'Failed',
      incarnation: undefined,
      pods: [],
      volumes: [],
      wrongs: [],
    });
  });
});
