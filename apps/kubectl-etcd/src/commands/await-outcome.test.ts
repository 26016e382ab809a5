// SPDX-License-Identifier: Apache-2.0
import { createClient, KubeError } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { awaitOutcome, lastReport, type Progress } from './await-outcome.ts';
import { failureOf } from './backup.ts';

/** The progress messages. */
let told: string[] = [];

async function outcomeOf(
  reported: string,
  asked: () => Promise<Progress> = async () => ({ succeeded: false, failure: '', reported }),
): Promise<unknown> {
  told = [];
  const clock = new VirtualClock();
  const transport = createApiServer({}).transport();
  const access = {
    client: createClient(transport),
    transport,
    namespace: 'default',
    clock,
    tell: (line: string) => told.push(line),
  };
  const { signal } = new AbortController();
  const ended = awaitOutcome({ ...access, signal }, 'EtcdRestore r', 60_000, asked).catch((error: unknown) => error);
  await clock.advance(70_000);
  await transport.close();
  return ended;
}

test('the last message of the operator is printed at the time limit: it runs, so the problem is another one', async () => {
  const refused = lastReport([
    { reason: 'Verifying', message: 'connect ECONNREFUSED 10.0.0.9:9000; retry in 30 s.' },
    { reason: 'Idle', message: '' },
  ]);
  expect(await outcomeOf(refused)).toMatchObject({
    message:
      'EtcdRestore r did not finish within 60 s. This command stopped waiting, but EtcdRestore r may still finish. The operator reports: Verifying: connect ECONNREFUSED 10.0.0.9:9000; retry in 30 s.',
  });
});

test('while it waits, each new message of the operator is printed once', async () => {
  await outcomeOf('Verifying: 3 of 8 MiB.');
  expect(told).toEqual(['Waiting for EtcdRestore r to finish, for at most 60 s.', 'Verifying: 3 of 8 MiB.']);
});

test('only without any status may an operator be missing', async () => {
  expect(await outcomeOf(lastReport(undefined))).toMatchObject({
    message: expect.stringContaining(
      'No operator has reported on EtcdRestore r: check that an operator runs (kubectl etcd operators).',
    ),
  });
});

test('an API server that restarts ends no waiting: the operator goes on', async () => {
  let calls = 0;
  const asked = async () => {
    calls++;
    if (calls === 2) throw new KubeError('ConnectionRefused', 'connect ECONNREFUSED');
    if (calls === 3) throw new KubeError('ServiceUnavailable', 'the server is currently unable to handle the request');
    return { succeeded: calls === 4, failure: '', reported: 'Verifying: 3 of 8 MiB.' };
  };
  expect(await outcomeOf('', asked)).toBeUndefined();
  expect(told).toEqual(['Waiting for EtcdRestore r to finish, for at most 60 s.', 'Verifying: 3 of 8 MiB.']);
  const forbidden = new KubeError('Forbidden', 'etcdrestores is forbidden');
  expect(await outcomeOf('', () => Promise.reject(forbidden))).toBe(forbidden);
});

test('a backup whose first attempt failed has not failed as long as the operator tries again soon', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');
  const after = (nextAttemptDate?: string) =>
    failureOf({ status: { Reason: 'nobody answers', attempts: 1, ...(nextAttemptDate && { nextAttemptDate }) } }, now);
  expect(after('2026-01-01T12:00:01Z')).toBe('');
  expect(after('2026-01-01T12:01:20Z')).toBe('nobody answers');
  expect(after()).toBe('nobody answers');
  expect(failureOf({}, now)).toBe('');
});
