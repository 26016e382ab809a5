// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memory, now, observation, order } from '../testing/observations.ts';
import { type ProofMemory, type ProofSchedule, type ProofView, planProof, proofPause } from './proof-plan.ts';

const nth = (count: number): ProofSchedule => ({ kind: 'everyNth', count });
const cron = parseCron('0 * * * *', 'UTC');
if (!cron) throw new Error('the schedule of the test is none');
const hourly: ProofSchedule = { kind: 'cron', cron };

const proof = (given: Partial<ProofMemory> = {}): ProofMemory => ({
  path: 'bucket/old',
  due: now - 60_000,
  isOpen: false,
  backupsSince: 0,
  attempts: 0,
  nextAttempt: undefined,
  ...given,
});

interface Scene {
  readonly prove?: ProofSchedule | undefined;
  readonly proof?: ProofMemory | undefined;
  readonly view?: ProofView;
  readonly lastPath?: string | undefined;
  readonly isBusy?: boolean;
  readonly isDeleting?: boolean;
}

function plan(scene: Scene) {
  const { view = 'idle', isBusy = false, isDeleting = false } = scene;
  const lastPath = 'lastPath' in scene ? scene.lastPath : 'bucket/new';
  const remembered = memory({ lastPath, proof: scene.proof });
  const seen = observation({
    order: { ...order({ kind: 'once' }), prove: 'prove' in scene ? scene.prove : nth(3) },
    memory: remembered,
    proof: view,
    isDeleting,
  });
  return planProof(seen, isBusy, now);
}

const did = (scene: Scene) => plan(scene).steps.map((step) => step.do);

describe('when a backup is proven', () => {
  test.each<[string, Scene, readonly string[]]>([
    ['the first one at once', {}, ['startProof']],
    ['not before there is one', { lastPath: undefined }, []],
    ['not while a backup is made or due', { isBusy: true }, []],
    ['not while one is proven', { view: 'running' }, []],
    ['not where nobody asks for it', { prove: undefined }, []],
    ['again if the process ended in the middle of it', { proof: proof({ isOpen: true }) }, ['startProof']],
    ['not before so many backups', { proof: proof({ backupsSince: 2 }) }, []],
    ['after so many backups', { proof: proof({ backupsSince: 3 }) }, ['startProof']],
    ['not the same again by number', { proof: proof({ backupsSince: 3, path: 'bucket/new' }) }, []],
    ['not before its time', { prove: hourly, proof: proof({ due: now }) }, []],
    ['when it is time', { prove: hourly, proof: proof() }, ['startProof']],
    ['the same again when it is time', { prove: hourly, proof: proof({ path: 'bucket/new' }) }, ['startProof']],
    ['not before its pause is over', { proof: proof({ attempts: 1, nextAttempt: now + 1 }) }, []],
    ['after its pause', { proof: proof({ attempts: 1, nextAttempt: now }) }, ['startProof']],
    ['after a pause that is none', { proof: proof({ attempts: 1, nextAttempt: now + 1e9 }) }, ['startProof']],
  ])('%s', (_when, scene, steps) => {
    expect(did(scene)).toEqual(steps);
  });

  test.each<[string, Scene, readonly string[]]>([
    [
      'is recorded when it has ended, also of an object that goes',
      { view: 'ended', isDeleting: true },
      ['recordProof'],
    ],
    ['is cancelled with its object', { view: 'running', isDeleting: true }, ['cancelProof']],
    ['is cancelled if nobody asks for it any more', { view: 'running', prove: undefined }, ['cancelProof']],
    ['is cancelled if the spec has changed', { view: 'outdated' }, ['cancelProof']],
    ['is not spoken of any more if nobody asks for it', { prove: undefined, proof: proof() }, ['dropProof']],
    ['is no matter of an object that goes', { isDeleting: true, proof: proof() }, []],
  ])('a proof %s', (_what, scene, steps) => {
    expect(did(scene)).toEqual(steps);
  });

  test('is looked at again when it is due, or when its pause is over', () => {
    expect(plan({ prove: hourly, proof: proof({ due: now }) }).requeueAt).toBe(now + 3_600_000);
    expect(plan({ proof: proof({ attempts: 1, nextAttempt: now + 5 }) }).requeueAt).toBe(now + 5);
  });

  test('pauses grow and end', () => {
    expect([1, 2, 3, 50].map(proofPause)).toEqual([60_000, 120_000, 240_000, 3_600_000]);
  });
});

test('whatever is seen: one step at most, none while a backup is busy, and only the newest is proven', () => {
  const someProof = fc.record<ProofMemory>({
    path: fc.constantFrom('bucket/old', 'bucket/new'),
    due: fc.option(fc.integer({ min: now - 1e8, max: now + 1e8 }), { nil: undefined }),
    isOpen: fc.boolean(),
    backupsSince: fc.nat(5),
    attempts: fc.nat(5),
    nextAttempt: fc.option(fc.integer({ min: now - 1e7, max: now + 1e7 }), { nil: undefined }),
  });
  const scenes = fc.record<Required<Scene>>({
    prove: fc.constantFrom(undefined, hourly, nth(1), nth(3)),
    proof: fc.option(someProof, { nil: undefined }),
    view: fc.constantFrom('idle', 'running', 'outdated', 'ended'),
    lastPath: fc.constantFrom(undefined, 'bucket/new'),
    isBusy: fc.boolean(),
    isDeleting: fc.boolean(),
  });
  fc.assert(
    fc.property(scenes, (scene) => {
      const { steps, requeueAt } = plan(scene);
      expect(steps.length).toBeLessThanOrEqual(1);
      for (const step of steps.flatMap((one) => (one.do === 'startProof' ? [one] : []))) {
        expect(scene).toMatchObject({ isBusy: false, isDeleting: false, view: 'idle' });
        expect(scene.prove).toBeDefined();
        expect(step.path).toBe(scene.lastPath);
      }
      expect(requeueAt ?? now + 1).toBeGreaterThan(now);
    }),
    { numRuns: 1_000 },
  );
});
