// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@etcd-operator/etcd';
import { type Clock, createLogger, type LogRecord, systemClock } from '@etcd-operator/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels } from '../api/names.ts';
import { OperatorLab } from '../testing/operator-lab.ts';
import type { Step } from './plan/step.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
  await ground.create('kept', { size: 1 });
  await ground.settled('kept');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/**
 * An operator that does not run for a minute between planning a step and taking it, as after SIGSTOP: both clocks have moved, and
 * no timer has fired yet.
 */
function stoppedBefore(step: Step['do'], leaderElection: boolean) {
  const log: LogRecord[] = [];
  let ahead = 0;
  const clock: Clock = {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    schedule: (milliseconds, callback, options) => systemClock.schedule(milliseconds, callback, options),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal),
  };
  const write = (record: LogRecord) => {
    log.push(record);
    if (record.message === 'step' && record.fields?.['do'] === step && ahead === 0) ahead = 60_000;
  };
  const { ended } = ground.startOperator({
    clock,
    leaderElection,
    log: createLogger({ clock: systemClock, level: 'info', write }),
  });
  return { log, ended };
}

/** What etcd itself says: how many vote, and how many learn. Asked of a voter, because learners do not tell. */
async function membership(): Promise<{ readonly voters: number; readonly learners: number }> {
  const voter = (await ground.pods('kept')).find(({ metadata }) => metadata?.labels?.[labels.voter] === 'true');
  using member = new MemberClient({
    target: { host: voter?.status?.podIP ?? '', port: clientPort },
    clock: systemClock,
    dial: ({ host, port }) => ground.lab.dial(host, port),
  });
  const { members } = await member.cluster.memberList();
  const learners = members.filter(({ isLearner }) => isLearner).length;
  return { voters: members.length - learners, learners };
}

describe('an operator that was stopped for longer than its lease', () => {
  test.each([
    ['joinMember', 'MemberAdd', 2, { voters: 1, learners: 0 }],
    ['promote', 'MemberPromote', 3, { voters: 2, learners: 1 }],
    ['removeMember', 'MemberRemove', 2, { voters: 3, learners: 0 }],
  ] as const)('goes on with %s and sends no %s', async (step, _call, size, unchanged) => {
    await ground.stopOperator();
    const { ended, log } = stoppedBefore(step, true);
    await ground.change('kept', { size });
    await expect(ended).rejects.toThrow('the lease may have expired');
    expect(log.filter(({ fields }) => fields?.['do'] === step)).toHaveLength(1);
    expect(await membership()).toEqual(unchanged);
    // Its successor brings everything to its end.
    ground.startOperator();
    await ground.settled('kept');
    expect(await membership()).toEqual({ voters: size, learners: 0 });
  });
});

describe('an operator without a lease that was stopped', () => {
  test('does not carry out its old plan, and makes a new one', async () => {
    await ground.stopOperator();
    const { log } = stoppedBefore('joinMember', false);
    await ground.change('kept', { size: 3 });
    await ground.settled('kept');
    const fates = log.filter(({ fields }) => fields?.['do'] === 'joinMember').map(({ message }) => message);
    expect(fates).toEqual(['step', 'step refused', 'step']);
    const refused = log.find(({ message }) => message === 'step refused');
    expect(refused?.fields?.['why']).toMatch(/^The plan is 60 s old, the limit is 10 s/);
  });
});
