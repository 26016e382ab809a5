// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aroundCorruption, aroundLoss, kinds, run, runToEnd, type Scene, type Script, scripts } from './script.ts';

/** To try another seed: `PLAN_SEED=... npm test -- apps/operator/src/cluster/plan`. */
const seed = Number(process.env['PLAN_SEED'] ?? 6);
const numRuns = Number(process.env['PLAN_RUNS'] ?? 500);

const calmly: Scene = {
  fault: '',
  pick: 0,
  rounds: 0,
  milliseconds: 1_000,
  diesAt: undefined,
  dies: 'whole',
  isStale: false,
  isDoubled: false,
  stopsFor: 0,
};

/** Scripts that have failed before, as they were found. */
const found: Readonly<Record<string, Script>> = {
  'a seed that was deleted leaves data on its volume, and the next one cannot be placed': {
    kind: 'claim',
    size: 3,
    version: '3.6.16',
    fromBootstrap: true,
    scenes: [
      { fault: 'deletePod', rounds: 1 },
      { fault: 'clusterFull', rounds: 0 },
      { fault: 'changeVersion', rounds: 0 },
      { fault: 'deletePod', rounds: 3 },
    ].map((scene) => ({ ...calmly, ...scene })),
  },
  'an operator that sleeps while a member returns does not carry out its plan to remove it': {
    kind: 'claim',
    size: 3,
    version: '3.6.16',
    fromBootstrap: false,
    scenes: [{ ...calmly, fault: 'cutPod', pick: 4, rounds: 8, milliseconds: 30_000, stopsFor: 60_000 }],
  },
  'a member goes while the one that takes its place is about to start': {
    kind: 'emptyDir',
    size: 3,
    version: '3.6.16',
    fromBootstrap: false,
    scenes: [
      { fault: 'deletePod', rounds: 1, milliseconds: 250 },
      { fault: 'forceDeletePod', rounds: 1, milliseconds: 250 },
    ].map((scene) => ({ ...calmly, ...scene })),
  },
};

describe('scripts that once went wrong', () => {
  test.each(Object.entries(found))('%s', (_name, script) => {
    expect(['steady', 'held']).toContain(run(script));
  });
});

describe('random faults and spec changes, then calm: the goal is reached and nothing unsafe happens', () => {
  test.each(kinds)('%s', { timeout: 120_000 }, (kind) => {
    fc.assert(
      fc.property(scripts(kind), (script) => {
        expect(['steady', 'held', 'lost']).toContain(run(script));
      }),
      { seed, numRuns },
    );
  });
});

describe('members whose data differs, among others that come and go: the right data is kept, and the alarm ends', () => {
  test.each(['emptyDir', 'claim'])('%s', { timeout: 120_000 }, (kind) => {
    fc.assert(
      fc.property(scripts(kind, aroundCorruption), (script) => {
        expect(['steady', 'held', 'lost']).toContain(run(script));
      }),
      { seed, numRuns },
    );
  });
});

describe('members that are lost for good, with quorumLoss Automatic: recovered where it is sure, and never where a quorum could return', () => {
  test.each(['emptyDir', 'claim'])('%s', { timeout: 120_000 }, (kind) => {
    let recovered = 0;
    fc.assert(
      fc.property(scripts(kind, aroundLoss, ['Automatic']), (script) => {
        const { outcome, recoveries } = runToEnd(script);
        if (recoveries > 0) recovered++;
        expect(['steady', 'held', 'lost']).toContain(outcome);
      }),
      { seed, numRuns },
    );
    // Without recoveries this test would show nothing.
    expect(recovered).toBeGreaterThan(numRuns / 50);
  });

  const twoOfThree = (quorumLoss: 'Never' | 'Manual' | 'Automatic', fault: string): Script => ({
    kind: 'claim',
    size: 3,
    version: '3.6.16',
    fromBootstrap: false,
    quorumLoss,
    scenes: [
      { ...calmly, fault },
      { ...calmly, fault, rounds: 5 },
    ],
  });

  test.each([
    ['Automatic', { outcome: 'steady', recoveries: 1 }],
    ['Manual', { outcome: 'lost', recoveries: 0 }],
    ['Never', { outcome: 'lost', recoveries: 0 }],
  ] as const)('two of three with their volumes, %s', (policy, ending) => {
    expect(runToEnd(twoOfThree(policy, 'deletePodAndVolume'))).toEqual(ending);
  });

  test('two of three that come back are not recovered from', () => {
    expect(runToEnd(twoOfThree('Automatic', 'nodeDown'))).toEqual({ outcome: 'steady', recoveries: 0 });
  });
});
