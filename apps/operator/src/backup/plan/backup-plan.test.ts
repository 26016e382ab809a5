// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BackupObservation } from '../observation.ts';
import { memory, now, observation, order } from '../testing/observations.ts';
import { type BackupPlan, planBackup } from './backup-plan.ts';

const summary = ({ situation, steps, requeueAt }: BackupPlan) => ({
  situation,
  steps: steps.map((step) => (step.do === 'start' ? `start ${step.due - now}` : step.do)),
  ...(requeueAt !== undefined && { requeueIn: requeueAt - now }),
});

const once = order({ kind: 'once' });
const hourly = order({ kind: 'interval', milliseconds: 3_600_000 });
const made = { hasMade: true, attempts: 0, lastPath: 'bucket/key', observedGeneration: 1 };
const failing = { attempts: 3, reason: 'x', nextAttempt: now + 8_000, observedGeneration: 1 };
const series = { ...made, lastPath: 'bucket/key_v1_2026-01-01-00:00:00', lastDue: now - 600_000 };
const brief = { ...once, ttlSeconds: 60 };
const sealed = { ...once, isEncrypted: true };
const unseen = { lastDue: 0, nextAttempt: 0, deletion: 0, finishedAt: 0 };
const running = { generation: 1, state: 'running' } as const;

/** Observations with the expected situation and steps. */
const table: readonly (readonly [string, Partial<BackupObservation>, ReturnType<typeof summary>])[] = [
  ['[74] a new one-shot is made at once', {}, { situation: 'due', steps: ['start 0'] }],
  [
    'a one-shot that was made is done also after a failure of what its spec asked for meanwhile',
    { memory: memory({ ...made, ...failing, observedGeneration: 2 }), generation: 3 },
    { situation: 'complete', steps: [] },
  ],
  [
    'a one-shot that was made in the clear is not done when its spec demands encryption',
    { order: sealed, memory: memory(made), generation: 2 },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    'a one-shot that was made encrypted is done',
    { order: sealed, memory: memory({ ...made, lastKeyId: 'ab' }), generation: 2 },
    { situation: 'complete', steps: [] },
  ],
  [
    'a one-shot that another operator reported is not made over it when its spec demands encryption',
    { order: sealed, memory: memory({ hasMade: true }), generation: 2 },
    { situation: 'complete', steps: [] },
  ],
  [
    'a retry that is further away than any pause is made at once: the clock was ahead when it was recorded',
    { order: hourly, memory: memory({ ...failing, nextAttempt: now + 31_536_000_000, lastDue: now - 9_000_000 }) },
    { situation: 'due', steps: ['start -1800000'] },
  ],
  [
    'a pause is over when this process has seen it for as long as the longest lasts, whatever the clock says',
    { memory: memory(failing), seenFor: { ...unseen, nextAttempt: 300_000 } },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    'a one-shot that was made goes when its time to live is over',
    { order: brief, memory: memory({ ...made, finishedAt: now - 60_000 }), seenFor: { ...unseen, finishedAt: 60_000 } },
    { situation: 'complete', steps: ['deleteObject'] },
  ],
  [
    'one whose time to live is not over is looked at then',
    { order: brief, memory: memory({ ...made, finishedAt: now - 20_000 }), seenFor: { ...unseen, finishedAt: 20_000 } },
    { situation: 'complete', steps: [], requeueIn: 40_000 },
  ],
  [
    'one that another spec made fail stays',
    { order: brief, memory: memory({ ...made, finishedAt: undefined }) },
    { situation: 'complete', steps: [] },
  ],
  [
    'a series has no end, whatever its time to live',
    {
      order: { ...hourly, ttlSeconds: 60 },
      memory: memory({ ...made, lastDue: now - 1_800_000, finishedAt: now - 90_000 }),
    },
    { situation: 'waiting', steps: [], requeueIn: 1_800_000 },
  ],
  ['a one-shot that was made is done for ever', { memory: memory(made) }, { situation: 'complete', steps: [] }],
  [
    'a one-shot that was made is not repeated for a change of its policy',
    { memory: memory(made), generation: 2 },
    { situation: 'complete', steps: [] },
  ],
  [
    'another path is another backup',
    { memory: memory({ ...made, lastPath: 'bucket/other' }), generation: 2 },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    'what CoreOS etcd-operator reported as made is done',
    { memory: memory({ hasMade: true }) },
    { situation: 'complete', steps: [] },
  ],
  [
    'what CoreOS etcd-operator reported as failed is not tried again until the spec changes',
    { memory: memory({ reason: 'x' }) },
    { situation: 'refused', steps: [] },
  ],
  [
    'a changed spec after a failure under CoreOS etcd-operator is tried',
    { memory: memory({ reason: 'x', observedGeneration: 1 }), generation: 2 },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    '[84] a failed one-shot waits for its next try',
    { memory: memory(failing) },
    { situation: 'retrying', steps: [], requeueIn: 8_000 },
  ],
  [
    '[84] a failed one-shot is tried again in time',
    { memory: memory({ ...failing, nextAttempt: now }) },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    'a changed spec is tried at once',
    { memory: memory(failing), generation: 2 },
    { situation: 'due', steps: ['start 0'] },
  ],
  ['[81] D22: the first of a series is made at once', { order: hourly }, { situation: 'due', steps: ['start 0'] }],
  [
    '[81] a series waits for its time',
    { order: hourly, memory: memory(series) },
    { situation: 'waiting', steps: [], requeueIn: 3_000_000 },
  ],
  [
    '[81] after a restart one that was missed is made at once',
    { order: hourly, memory: memory({ ...series, lastDue: now - 9_000_000 }) },
    { situation: 'due', steps: ['start -1800000'] },
  ],
  [
    '[81] never two at a time: a run that goes on is left alone',
    { order: hourly, memory: memory({ ...series, lastDue: now - 9_000_000 }), run: running },
    { situation: 'running', steps: [], requeueIn: 3_000 },
  ],
  [
    'a series that fails is tried again with pauses',
    { order: hourly, memory: memory({ ...failing, lastDue: now - 9_000_000 }) },
    { situation: 'retrying', steps: [], requeueIn: 8_000 },
  ],
  [
    '[82] D21: a changed spec ends the run of the old one',
    { order: hourly, generation: 2, run: running },
    { situation: 'running', steps: ['cancel'], requeueIn: 3_000 },
  ],
  [
    'what a run came to is recorded before the next one is started',
    { order: hourly, memory: memory({ ...series, lastDue: now - 9_000_000 }), run: { ...running, state: 'ended' } },
    { situation: 'due', steps: ['recordOutcome', 'start -1800000'] },
  ],
  [
    'a run that was cancelled is forgotten, and the spec that has changed is tried',
    { generation: 2, run: { ...running, state: 'cancelled' } },
    { situation: 'due', steps: ['forgetRun', 'start 0'] },
  ],
  [
    'deletion records first what a run came to',
    { order: hourly, isDeleting: true, hasCoreosFinalizer: true, run: { ...running, state: 'ended' } },
    { situation: 'deleting', steps: ['recordOutcome', 'removeCoreosFinalizer'] },
  ],
  [
    '[82] deletion ends the run first',
    { order: hourly, isDeleting: true, hasCoreosFinalizer: true, run: running },
    { situation: 'deleting', steps: ['cancel'] },
  ],
  [
    '[82] deletion removes the finalizer of CoreOS etcd-operator',
    { order: hourly, isDeleting: true, hasCoreosFinalizer: true },
    { situation: 'deleting', steps: ['removeCoreosFinalizer'] },
  ],
  [
    '[82] the finalizer of CoreOS etcd-operator is removed from a series at first sight',
    { order: hourly, memory: memory({ ...series, attempts: undefined }), hasCoreosFinalizer: true },
    { situation: 'waiting', steps: ['removeCoreosFinalizer'], requeueIn: 3_000_000 },
  ],
  [
    '[83] D22: a series that became a one-shot is made once more, under its path',
    { memory: memory(series), generation: 2 },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    '[83] D22: also if CoreOS etcd-operator made the series',
    { memory: memory({ hasMade: true, lastDue: now - 1_000 }), hasCoreosFinalizer: true },
    { situation: 'due', steps: ['start 0'] },
  ],
  [
    '[83] a one-shot that became a series goes on from its last backup',
    { order: hourly, memory: memory({ ...made, lastDue: now - 600_000 }), generation: 2 },
    { situation: 'waiting', steps: [], requeueIn: 3_000_000 },
  ],
  [
    'D2: a spec that cannot work is reported and nothing else',
    { order: undefined, problem: { reason: 'UnknownStorage', message: 'x' } },
    { situation: 'invalid', steps: [] },
  ],
  [
    'D2: a spec that cannot work ends the run of the one before',
    { order: undefined, problem: { reason: 'UnknownStorage', message: 'x' }, run: running },
    { situation: 'invalid', steps: ['cancel'] },
  ],
  [
    'D2: an object that cannot work can be deleted',
    { order: undefined, isDeleting: true, hasCoreosFinalizer: true, hasOwnFinalizer: true },
    { situation: 'deleting', steps: ['removeOwnFinalizer', 'removeCoreosFinalizer'] },
  ],
  ['[87] deletion keeps what is stored', { isDeleting: true }, { situation: 'deleting', steps: [] }],
  [
    '[87] who asks for deletion gets a finalizer first',
    { order: { ...once, deleteStored: true } },
    { situation: 'due', steps: ['addOwnFinalizer', 'start 0'] },
  ],
  [
    '[87] who asked for deletion gets it, and then the object goes',
    { order: { ...once, deleteStored: true }, hasOwnFinalizer: true, isDeleting: true },
    { situation: 'deleting', steps: ['deleteStored', 'removeOwnFinalizer'] },
  ],
  [
    '[87] who no longer asks for it loses the finalizer',
    { hasOwnFinalizer: true, memory: memory(made) },
    { situation: 'complete', steps: ['removeOwnFinalizer'] },
  ],
];

describe('the plan for an EtcdBackup', () => {
  test('[87] stored backups are tried to be deleted for ten minutes of this process, by no clock that is set', () => {
    const isLastTry = (deletion: number) => {
      const seenFor = { ...unseen, deletion };
      const going = { order: { ...once, deleteStored: true }, hasOwnFinalizer: true, isDeleting: true, seenFor };
      return planBackup(observation(going), now).steps[0];
    };
    expect([isLastTry(0), isLastTry(600_000)]).toEqual([
      { do: 'deleteStored', isLastTry: false },
      { do: 'deleteStored', isLastTry: true },
    ]);
  });

  test.each(table)('%s', (_, given, expected) => {
    expect(summary(planBackup(observation(given), now))).toEqual(expected);
  });

  const times = fc.option(fc.integer({ min: now - 1e10, max: now + 1e10 }), { nil: undefined });
  const anyObservation = fc.record({
    generation: fc.integer({ min: 1, max: 3 }),
    isDeleting: fc.boolean(),
    seenFor: fc.record({
      lastDue: fc.nat(1e8),
      nextAttempt: fc.nat(1e6),
      deletion: fc.nat(1e6),
      finishedAt: fc.nat(1e6),
    }),
    hasCoreosFinalizer: fc.boolean(),
    hasOwnFinalizer: fc.boolean(),
    order: fc.constantFrom(undefined, once, hourly, { ...once, deleteStored: true }, { ...once, ttlSeconds: 60 }),
    run: fc.constantFrom(
      undefined,
      running,
      { generation: 1, state: 'ended' as const },
      { generation: 1, state: 'cancelled' as const },
    ),
    memory: fc
      .record({
        hasMade: fc.boolean(),
        reason: fc.constantFrom('', 'x'),
        attempts: fc.constantFrom(undefined, 0, 4),
        nextAttempt: times,
        lastDue: times,
        finishedAt: times,
        lastPath: fc.constantFrom(undefined, 'bucket/key', 'bucket/other'),
        observedGeneration: fc.constantFrom(undefined, 1, 2),
      })
      .map(memory),
  });

  test('never starts a second run, starts nothing that goes, and never waits in the past', () => {
    fc.assert(
      fc.property(anyObservation, (some) => {
        const plan = planBackup(observation(some), now);
        const starts = plan.steps.filter((step) => step.do === 'start').length;
        expect(starts).toBeLessThanOrEqual(1);
        const mayNotStart = some.run?.state === 'running' || some.isDeleting || !some.order;
        expect(mayNotStart && starts > 0).toBe(false);
        const first = { ended: 'recordOutcome', cancelled: 'forgetRun', running: undefined } as const;
        const outcomeSteps = plan.steps.filter((step) => step.do === 'recordOutcome' || step.do === 'forgetRun');
        expect(outcomeSteps.map((step) => step.do)).toEqual([some.run && first[some.run.state]].filter(Boolean));
        expect(plan.steps.slice(0, outcomeSteps.length)).toEqual(outcomeSteps);
        expect(plan.requeueAt ?? now + 1).toBeGreaterThan(now);
        const mayRest = ['complete', 'refused', 'invalid', 'deleting'].includes(plan.situation);
        expect(mayRest || plan.steps.length > 0 || plan.requeueAt !== undefined).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
