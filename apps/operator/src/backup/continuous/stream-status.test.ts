// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { memory, order } from '../testing/observations.ts';
import { recordingClaim, recoveryPointOf } from './stream-status.ts';

const time = Date.parse('2026-01-01T12:00:00Z');
const point = { revision: 7n, time };
const report = { point, fault: undefined, gap: undefined };
const written = { recoveryPoint: { revision: 7, time: '2026-01-01T12:00:00Z' } };

describe('the recovery point in the status', () => {
  test('is what the stream has stored, and what an earlier process reported until there is something', () => {
    expect(recoveryPointOf(undefined, true, report)).toEqual(written);
    expect(recoveryPointOf(written, true, undefined)).toEqual(written);
    expect(recoveryPointOf(undefined, true, undefined)).toEqual({});
    expect(recoveryPointOf(written, false, report)).toEqual({});
  });

  test('is written again after 3 s if the revision has changed, and after a minute if not', () => {
    const after = (revision: bigint, ms: number) =>
      recoveryPointOf(written, true, { ...report, point: { revision, time: time + ms } }).recoveryPoint?.time;
    expect(after(8n, 1_000)).toBe('2026-01-01T12:00:00Z');
    expect(after(8n, 3_000)).toBe('2026-01-01T12:00:03Z');
    expect(after(7n, 30_000)).toBe('2026-01-01T12:00:00Z');
    expect(after(7n, 60_000)).toBe('2026-01-01T12:01:00Z');
  });
});

describe('condition Recording', () => {
  const series = { ...order({ kind: 'interval', milliseconds: 1_000 }), continuous: true };
  const made = { order: series, memory: memory({ lastPath: 'one' }) };

  test.each([
    ['True', 'ChangesRecorded', made, report],
    ['Unknown', 'RecordingStarts', made, undefined],
    ['Unknown', 'WaitingForBackup', { ...made, memory: memory() }, undefined],
    ['False', 'ChangesMissing', made, { ...report, gap: { why: 'compacted' } }],
    [
      'False',
      'NoSpace',
      made,
      { ...report, fault: { kind: 'lasting' as const, reason: 'NoSpace' as const, message: 'full' } },
    ],
  ] as const)('is %s with reason %s', (status, reason, observation, stream) => {
    expect(recordingClaim(observation, stream)).toMatchObject({ type: 'Recording', status, reason });
  });

  test('is absent if the spec does not ask for it', () => {
    expect(recordingClaim({ ...made, order: order({ kind: 'once' }) }, undefined)).toBeUndefined();
  });
});
