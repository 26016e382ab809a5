// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { type Clock, createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemberRelay } from '../../testing/member-relay.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';
import type { Step } from '../plan/step.ts';

let ground: OperatorLab;
const child = fileURLToPath(new URL('../../testing/stopped-operator-child.ts', import.meta.url));

beforeAll(async () => {
  ground = await OperatorLab.start();
  await ground.create('kept', { size: 1 });
  await ground.settled('kept');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/**
 * An operator that does not run for a minute between planning a step and carrying it out, as after SIGSTOP: both clocks have advanced, and
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

/** How many voters and learners etcd itself reports. A learner does not answer this request; the other members are asked then. */
function membership(): Promise<{ readonly voters: number; readonly learners: number }> {
  return ground.until('a voter', async () => {
    const lists = await Promise.all((await ground.pods('kept')).map(({ status }) => listOf(status?.podIP ?? '')));
    const members = lists.find((list) => list !== undefined);
    const learners = members?.filter(({ isLearner }) => isLearner).length ?? 0;
    return members && { voters: members.length - learners, learners };
  });
}

async function listOf(host: string) {
  using member = new MemberClient({
    target: { host, port: clientPort },
    clock: systemClock,
    dial: (target) => ground.lab.dial(target.host, target.port),
  });
  return await member.cluster.memberList().then(
    ({ members }) => members,
    () => undefined,
  );
}

describe('fault 38: an operator that was stopped for longer than its lease', () => {
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
    // The next operator finishes the change.
    ground.startOperator();
    await ground.settled('kept');
    expect(await membership()).toEqual({ voters: size, learners: 0 });
  });
});

describe('the process of an operator', () => {
  test('fault 38: that is stopped by SIGSTOP until its lease has run out sends no MemberAdd when it goes on', async () => {
    await ground.stopOperator();
    const before = await membership();
    await using relay = await MemberRelay.start(ground.lab);
    const args = [child, ground.lab.kubeconfigPath, String(relay.port), 'joinMember'];
    const operator = spawn(process.execPath, args, { env: {}, stdio: 'ignore' });
    const ended = once(operator, 'exit');
    try {
      await ground.change('kept', { size: before.voters + 1 });
      await ground.until('stopped', async () => ((await stateOf(operator.pid)) === 'T' ? true : undefined));
      // Leases last 15 s.
      await systemClock.sleep(16_000);
      operator.kill('SIGCONT');
      expect((await ended)[0]).toBe(1);
    } finally {
      operator.kill('SIGKILL');
    }
    expect(await membership()).toEqual(before);
    ground.startOperator();
    await ground.settled('kept');
  });
});

/** The state of a process; `T` while it is stopped. */
async function stateOf(pid: number | undefined): Promise<string | undefined> {
  return /^State:\s+(\S)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
}

describe('an operator without a lease that was stopped', () => {
  test('does not carry out its old plan, and makes a new one', async () => {
    await ground.stopOperator();
    const { log } = stoppedBefore('joinMember', false);
    await ground.change('kept', { size: 4 });
    await ground.settled('kept');
    // etcd itself refuses the step for 5 s after members start; such refusals come later.
    const [first, ...later] = log
      .filter(({ message }) => message === 'step refused')
      .map(({ fields }) => fields?.['why']);
    expect(first).toMatch(/^The plan was made 6\d s ago; the limit is 10 s/);
    for (const why of later) expect(why).not.toContain('The plan was made');
    expect(await membership()).toEqual({ voters: 4, learners: 0 });
  });
});
