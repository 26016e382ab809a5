// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdBackup, EtcdBackupStatus } from '../../api/etcd-backup.ts';
import type { RunOutcome, RunState } from '../act/backup-runs.ts';
import type { BackupFault } from '../backup-fault.ts';
import { planBackup } from '../plan/backup-plan.ts';
import { manifest, memory, now, observation } from '../testing/observations.ts';
import { afterRun, memoryOf, saysTheSame, statusOf } from './backup-status.ts';

const taken: RunOutcome = {
  kind: 'taken',
  taken: { key: 'key', path: 'bucket/key', startedAt: now, manifest, isNew: true, pruneError: undefined, uncounted: 0 },
};
const failed = (kind: BackupFault['kind'] = 'passing'): RunOutcome => ({
  kind: 'failed',
  fault: { kind, reason: 'EtcdUnavailable', message: 'nobody answers' },
});
const run = (outcome: RunOutcome | undefined, more: Partial<RunState['progress']> = {}): RunState => ({
  generation: 1,
  due: now - 5_000,
  progress: { object: 'key', startedAt: now, bytes: 0, totalBytes: 0, seconds: 2, left: [], removed: [], ...more },
  outcome,
});
const after = (previous: EtcdBackupStatus | undefined, outcome: RunOutcome) =>
  afterRun(previous, run(outcome), { now, chance: 1 });
const report = (status: EtcdBackupStatus | undefined, state: RunState | undefined) =>
  statusOf(status, {
    plan: planBackup(observation({ memory: memoryOf({ ...(status && { status }) }) }), now),
    problem: undefined,
    run: state,
    generation: 1,
    now,
  });

describe('[74] the status after a backup', () => {
  test('has the fields of CoreOS etcd-operator, and size and hash', () => {
    expect(after({ Reason: 'x', attempts: 3, nextAttemptDate: 'y', progress: { startTime: 'z' } }, taken)).toEqual({
      succeeded: true,
      Reason: '',
      attempts: 0,
      etcdVersion: '3.6.16',
      etcdRevision: 7,
      lastSuccessDate: '2026-01-01T12:00:00Z',
      lastExecutionDate: '2026-01-01T12:00:00Z',
      lastScheduleDate: '2026-01-01T11:59:55Z',
      lastBackup: { path: 'bucket/key', bytes: 20_512, sha256: 'ab'.repeat(32), durationSeconds: 2 },
      observedGeneration: 1,
    });
  });

  test('keeps what is known of the last success when one fails', () => {
    const before = after(undefined, taken);
    expect(after(before, failed())).toEqual({
      ...before,
      succeeded: false,
      Reason: 'nobody answers',
      attempts: 1,
      nextAttemptDate: '2026-01-01T12:00:01Z',
    });
  });

  test('[84] counts tries that fail, and waits longer after each, up to five minutes', () => {
    const waits: number[] = [];
    let status: EtcdBackupStatus | undefined;
    for (let index = 0; index < 12; index++) {
      status = after(status, failed());
      waits.push((Date.parse(status.nextAttemptDate ?? '') - now) / 1000);
    }
    expect(status?.attempts).toBe(12);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  test('requeues soon what a user has to repair, as a Secret that is applied a moment later, and then less often', () => {
    const waits: number[] = [];
    let status: EtcdBackupStatus | undefined;
    for (let index = 0; index < 5; index++) {
      status = after(status, failed('lasting'));
      waits.push((Date.parse(status.nextAttemptDate ?? '') - now) / 1000);
    }
    expect(waits).toEqual([5, 20, 80, 300, 300]);
  });

  test('counts from 1 again for a new spec', () => {
    expect(after({ attempts: 5, observedGeneration: 0 }, failed()).attempts).toBe(1);
  });

  test('says nothing of a run that was called off', () => {
    expect(after({ succeeded: true, attempts: 0 }, { kind: 'cancelled' })).toEqual({ succeeded: true, attempts: 0 });
  });
});

describe('the status while a backup is made', () => {
  test('shows bytes, rate and percentage', () => {
    const state = run(undefined, { bytes: 50, totalBytes: 200, seconds: 2 });
    expect(report(undefined, state).progress).toMatchObject({ bytes: 50, bytesPerSecond: 25, percent: 25 });
    expect(report(undefined, run(undefined, { bytes: 500, totalBytes: 200 })).progress?.percent).toBe(99);
  });

  test('names what a process left unfinished until it has been seen to', () => {
    const left = { progress: { object: 'old', startTime: 'x' } };
    expect(report(left, undefined).progress?.object).toBe('old');
    expect(
      report(left, { ...run(undefined), progress: { ...run(undefined).progress, object: undefined } }).progress,
    ).toMatchObject({
      object: 'old',
    });
  });

  test('[86] tells of a backup that was verified, and of older ones that could not be deleted', () => {
    const troubled: RunOutcome = { ...taken, taken: { ...taken.taken, pruneError: new Error('denied') } };
    const { conditions } = report(after(undefined, troubled), run(troubled));
    expect(conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Succeeded', 'True', 'Verified'],
      ['Running', 'False', 'Idle'],
      ['Pruned', 'False', 'Unknown'],
      ['Ready', 'True', 'Verified'],
    ]);
  });

  test('is written every few seconds at most, however fast the figures move', () => {
    const at = (bytes: number, time: number) =>
      statusOf(undefined, {
        plan: planBackup(observation(), now),
        problem: undefined,
        run: run(undefined, { bytes, totalBytes: 1_000 }),
        generation: 1,
        now: time,
      });
    const [first, second, later] = [at(1, now), at(500, now + 2_000), at(500, now + 3_000)];
    const same = { ...second, conditions: first.conditions ?? null };
    expect(saysTheSame(first, same, now + 2_000)).toBe(true);
    expect(saysTheSame(first, later, now + 3_000)).toBe(false);
    expect(saysTheSame(first, { ...same, Reason: 'x' }, now + 1_000)).toBe(false);
  });

  test('moves no time while nothing changes', () => {
    const first = report(undefined, undefined);
    expect(
      statusOf(first, {
        plan: planBackup(observation(), now),
        problem: undefined,
        run: undefined,
        generation: 1,
        now: now + 9e6,
      }),
    ).toEqual(first);
  });
});

describe('the status of a single backup that is finished', () => {
  const complete = planBackup(observation({ memory: memory({ lastPath: 'bucket/key' }) }), now);
  const problem = { reason: 'InvalidEndpoint', message: 'ftp' } as const;
  const reported = (status: EtcdBackupStatus, wrong: typeof problem | undefined) =>
    statusOf(status, { plan: complete, problem: wrong, run: undefined, generation: 3, now });

  test('says so again when a spec that could not work was corrected', () => {
    const before = after(undefined, taken);
    const invalid = planBackup(observation({ order: undefined, problem }), now);
    const broken = statusOf(before, { plan: invalid, problem, run: undefined, generation: 2, now });
    expect(broken).toMatchObject({ succeeded: false, Reason: 'ftp' });
    const mended = reported(broken, undefined);
    expect(mended).toMatchObject({ ...before, observedGeneration: 3 });
    expect(mended.conditions?.[0]).toMatchObject({ status: 'True', message: 'bucket/key, revision 7' });
  });

  test('says so again when what failed meanwhile is no longer asked for', () => {
    const mended = reported(after(after(undefined, taken), failed()), undefined);
    expect(mended).toMatchObject({ succeeded: true, Reason: '', attempts: 0 });
    expect(mended.nextAttemptDate).toBeUndefined();
  });

  test('of another operator survives a spec that could not work', () => {
    const reportedByCoreos = { succeeded: true, etcdRevision: 9 };
    const invalid = planBackup(observation({ order: undefined, problem }), now);
    const broken = statusOf(reportedByCoreos, { plan: invalid, problem, run: undefined, generation: 2, now });
    const remembered = memoryOf({ status: broken });
    expect(planBackup(observation({ generation: 3, memory: remembered }), now).situation).toBe('complete');
    expect(reported(broken, undefined).conditions?.[0]).toMatchObject({ status: 'True', reason: 'MadeBefore' });
  });
});

describe('a status of another operator', () => {
  const read = (status: object) => memoryOf({ status } as EtcdBackup);

  test('tells when the last backup was, so that intervals go on', () => {
    expect(read({ lastSuccessDate: '2026-01-01T00:00:00Z' }).lastDue).toBe(Date.parse('2026-01-01T00:00:00Z'));
    const fork = { lastSuccessDate: '2026-01-01T00:00:00Z', lastExecutionDate: '2026-01-02T00:00:00Z' };
    expect(read(fork).lastDue).toBe(Date.parse('2026-01-02T00:00:00Z'));
  });

  test('[15] may hold null, and times that are none', () => {
    expect(read({ lastSuccessDate: null, succeeded: false }).lastDue).toBeUndefined();
    expect(read({ lastSuccessDate: 'yesterday' }).lastDue).toBeUndefined();
  });
});
