// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { BackupObservation } from '../observation.ts';
import { memory, now, observation, order } from '../testing/observations.ts';
import { planBackup } from './backup-plan.ts';
import { planStream } from './stream-plan.ts';

const hour = 3_600_000;
const series = { ...order({ kind: 'interval', milliseconds: hour }), continuous: true };
const made = memory({ hasMade: true, attempts: 0, lastDue: now, lastPath: 'one', observedGeneration: 1 });

const seen = (given: Partial<BackupObservation> = {}) => observation({ order: series, memory: made, ...given });
const steps = (given: Partial<BackupObservation> = {}) => planStream(seen(given)).map((step) => step.do);
const waiting = { kind: 'waiting', afterPath: 'one', pauseMs: 0 } as const;

describe('the stream of changes', () => {
  test('is started when there is a full backup, and not before', () => {
    expect(steps()).toEqual(['startStream']);
    expect(steps({ memory: memory() })).toEqual([]);
  });

  test('is left alone while it runs, and started again when the spec has changed', () => {
    expect(steps({ stream: { kind: 'running', generation: 1 } })).toEqual([]);
    expect(steps({ stream: { kind: 'running', generation: 0 } })).toEqual(['startStream']);
  });

  test.each([{ order: { ...series, continuous: false } }, { order: undefined }, { isDeleting: true }])(
    'is ended if nobody asks for it: %o',
    (given) => {
      expect(steps({ ...given, stream: { kind: 'running', generation: 1 } })).toEqual(['endStream']);
      expect(steps({ ...given, stream: waiting })).toEqual(['endStream']);
      expect(steps(given)).toEqual([]);
    },
  );

  test('that waits for a full backup has one made at once, by the series', () => {
    const plan = planBackup(seen({ stream: waiting }), now + 1_000);
    expect(plan.steps).toEqual([{ do: 'start', due: now + 1_000 }]);
    expect(planBackup(seen({ stream: { kind: 'running', generation: 1 } }), now + 1_000).steps).toEqual([]);
  });

  test('that had a gap a moment ago waits with that', () => {
    const plan = planBackup(seen({ stream: { ...waiting, pauseMs: 60_000 } }), now);
    expect(plan).toMatchObject({ situation: 'waiting', steps: [], requeueAt: now + 60_000 });
    const regular = planBackup(seen({ stream: { ...waiting, pauseMs: 2 * hour } }), now);
    expect(regular).toMatchObject({ nextDue: now + hour });
  });

  test('that waits does not have a failed attempt repeated without a pause', () => {
    const failed = memory({ ...made, attempts: 1, nextAttempt: now + 5_000 });
    expect(planBackup(seen({ stream: waiting, memory: failed }), now)).toMatchObject({
      situation: 'retrying',
      steps: [],
    });
  });

  test('goes on when there is another backup, and asks for no other', () => {
    const plan = planBackup(seen({ stream: waiting, memory: { ...made, lastPath: 'two' } }), now + 1_000);
    expect(plan.steps).toEqual([{ do: 'startStream' }]);
  });
});
