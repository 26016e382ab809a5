// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { RestoreModel, run } from '../../testing/model.ts';
import type { Trouble } from '../../testing/trouble.ts';
import { planRestore } from '../plan.ts';
import { outlasted } from '../proposal.ts';

const endings: readonly (readonly [string, Trouble, string])[] = [
  ['its volume is readable', { survivor: {} }, 'pvc/a'],
  ['its log has no more than the snapshot', { survivor: { volume: 'idle' } }, 'pod/holder'],
  ['its log has no more, and another log ends earlier', { survivor: { volume: 'idle', other: 55 } }, 'pod/holder'],
  ['its log has no more, and another log has more', { survivor: { volume: 'idle', other: 61 } }, 'pvc/b'],
  ['it does not say what it has applied', { survivor: { volume: 'idle', isSilentOnApplied: true } }, 'pvc/a'],
  ['its log has no more, and no node has room', { survivor: { volume: 'idle', holderFails: true } }, 'pvc/a'],
  ['its volume is damaged', { survivor: { volume: 'damaged' } }, 'pod/holder'],
  ['its volume is damaged, and another log ends earlier', { survivor: { volume: 'damaged', other: 55 } }, 'pod/holder'],
  [
    'its volume is damaged, and another log has all of the snapshot',
    { survivor: { volume: 'damaged', other: 61 } },
    '',
  ],
  ['the end of its log is gone', { survivor: { volume: 'cut' } }, 'pod/holder'],
  ['its volume cannot be attached', { survivor: { volume: 'unattached' } }, ''],
  ['its volume cannot be attached, and it is named', { survivor: { volume: 'unattached', wanted: 'a' } }, 'pod/holder'],
  ['no node has room for the pod that would hold the snapshot', { survivor: { holderFails: true } }, 'pvc/a'],
  ['it does not run', { survivor: { isStopped: true } }, 'pvc/a'],
  ['its volume is readable, and the first member breaks', { survivor: {}, seedBreaks: true }, ''],
  ['its volume is damaged, and the first member breaks', { survivor: { volume: 'damaged' }, seedBreaks: true }, ''],
];

/** Why what the member had applied is lost, and what was done wrong on the way. */
function wrongsOf(model: RestoreModel): readonly string[] {
  const { pods, volumes, source, status, survivors } = model;
  const served = status?.phase === 'Succeeded' ? source?.revision : undefined;
  return [...model.wrongs, survivors?.lossOf({ pods, volumes, served }) ?? []].flat();
}

describe('a recovery from a member that still runs on its volume', () => {
  test.each(endings)('loses nothing that the member had applied where %s', (_what, trouble, path) => {
    const model = run(new RestoreModel(trouble));
    expect(wrongsOf(model)).toEqual([]);
    expect(model.status?.phase).toBe(path === '' ? 'Failed' : 'Succeeded');
    expect(path === '' ? path : model.source?.path).toBe(path);
  });

  test.each(endings)('ends in the same way wherever its operator is killed, where %s', (_what, trouble, path) => {
    const whole = run(new RestoreModel(trouble));
    for (let write = 1; write <= whole.writes; write++)
      for (const endsOnceDelivered of [false, true]) {
        const model = run(new RestoreModel({ ...trouble, endsOnceDelivered }), [write]);
        expect(wrongsOf(model), `after write ${write}`).toEqual([]);
        expect(model.status?.phase, `after write ${write}`).toBe(path === '' ? 'Failed' : 'Succeeded');
        expect(path === '' ? path : model.source?.path, `after write ${write}`).toBe(path);
      }
  });

  test('keeps the snapshot after a failure until the EtcdRestore is deleted, and only if the member was stopped', () => {
    const failed = run(new RestoreModel({ survivor: { volume: 'damaged', other: 61 } }));
    expect(failed.survivors?.isHeld).toBe(true);
    expect(failed.status?.reason).toContain(
      'A snapshot of member a, taken before the member was stopped, is in pod/holder',
    );
    expect(run(new RestoreModel({ survivor: {} })).survivors?.holder).toBeUndefined();
  });

  test('takes the snapshot as the data, with the log of the member, where that has no more', () => {
    const { source } = run(new RestoreModel({ survivor: { volume: 'idle', other: 55 } }));
    expect(source).toMatchObject({ revision: 50, newestEntry: 40, survivor: { member: 'a', term: 2, index: 60 } });
    expect(source?.survivor?.warning ?? '').not.toContain('not applied');
  });

  test('says that a snapshot was used, why, and what may be missing', () => {
    const { source } = run(new RestoreModel({ survivor: { volume: 'damaged' } }));
    expect(source?.survivor).toMatchObject({ member: 'a', term: 0, index: 60 });
    expect(source?.survivor?.warning).toContain('a record does not match its checksum');
    expect(source?.survivor?.warning).toContain('Writes that the member had received but not applied are missing');
  });

  test('never puts the data of one member into the pod that was made for another', () => {
    const model = new RestoreModel({ survivor: {} });
    while (model.survivors?.holder?.stage !== 'waitingForData') model.pass(Number.POSITIVE_INFINITY);
    model.crash();
    const before = model.observation();
    const pods = before.pods.map((pod) => ({ ...pod, name: 'b', uid: 'pod-b' }));
    const seen = { ...before, pods, volumes: before.volumes.map((volume) => ({ ...volume, name: 'b' })) };
    expect(planRestore(before, model.now).steps.map(({ step }) => step)).toMatchObject([{ do: 'hold', member: 'a' }]);
    expect(planRestore(seen, model.now).steps.map(({ step }) => step)).toMatchObject([
      { do: 'deletePod', name: 'holder' },
    ]);
  });

  test('goes on without a snapshot, and says why, where the pod that would hold it is refused', () => {
    const model = new RestoreModel({ survivor: {} });
    while (planRestore(model.observation(), model.now).steps.every(({ step }) => step.do !== 'createHolder'))
      model.pass(Number.POSITIVE_INFINITY);
    const plan = planRestore(model.observation(), model.now);
    expect(outlasted(plan, 119_000).steps.map(({ step }) => step.do)).toContain('createHolder');
    const { report } = outlasted(plan, 120_000);
    expect(report?.safety).toMatchObject({ kind: 'skipped', why: expect.stringContaining('was not created') });
  });
});
