// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { FaultName } from './run/faults.ts';
import { runScript } from './run/run-seed.ts';
import { scriptOf } from './run/script.ts';

const undisturbed = { ...scriptOf(1), size: 3, storage: 'claim', version: '3.6.16', calmAt: 240_000 } as const;

/** Plays one fault, or several, each for a minute. Resolves with the trace. */
async function live(fault: FaultName, ...more: readonly FaultName[]): Promise<readonly string[]> {
  const events = [fault, ...more].map((each, index) => ({
    at: 60_000 + 5_000 * index,
    fault: each,
    pick: 1,
    lasts: 60_000,
  }));
  const { failure, isLost, trace } = await runScript({ ...undisturbed, events });
  expect([failure, isLost]).toEqual([undefined, false]);
  return trace;
}

test('a member whose data has rotted is found by a compaction, and replaced; then the alarm is disarmed', async () => {
  const trace = await live('valueFlipped');
  const [, id = 'nobody'] = /raises CORRUPT for (\w+)/.exec(trace.join('\n')) ?? [];
  expect(trace.some((line) => line.includes(`applied: remove ${id}`))).toBe(true);
});

test('a cluster without space is left alone until a user has freed it', async () => {
  const trace = await live('spaceUsedUp');
  expect(trace.some((line) => line.includes('raises NOSPACE'))).toBe(true);
  expect(trace.filter((line) => line.includes('applied: remove'))).toEqual([]);
});

test('when all nodes lose power at once, nothing that was acknowledged is missing', async () => {
  const trace = await live('powerLoss');
  expect(trace.filter((line) => line.includes(' resumes as '))).toHaveLength(3);
});

test('a member whose disk was full resumes with its data', async () => {
  const trace = await live('diskFull');
  expect(trace.some((line) => line.includes('no space left on device'))).toBe(true);
  expect(trace.some((line) => line.includes(' resumes as '))).toBe(true);
});

test('members that refuse new connections serve again when their certificate is renewed', async () => {
  const trace = await live('certificateExpired', 'podDeleted');
  expect(trace.some((line) => line.includes(' resumes as '))).toBe(true);
});
