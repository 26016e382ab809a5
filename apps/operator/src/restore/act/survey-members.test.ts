// SPDX-License-Identifier: Apache-2.0
import { MemberClient } from '@operator-parts/etcd';
import { FakeMember } from '@operator-parts/etcd/testing';
import { systemClock, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { surveyMembers } from './survey-members.ts';

type Answer = 'quorum' | 'leader' | 'alone' | 'locked';

/** Field 4 of a status is the leader, 5 the raft index. */
const statusOf = (answer: Answer) => Uint8Array.of(0x20, answer === 'alone' ? 0 : 1, 0x28, 9);

/** The result for a member that gives these answers, one per second. The last answer repeats. */
const survey = (...answers: readonly [Answer, ...Answer[]]) => surveyWith(1_000, ...answers);

async function surveyWith(electionMs: number, ...answers: readonly [Answer, ...Answer[]]) {
  const clock = new VirtualClock();
  const now = () => answers[Math.min(Math.floor(clock.monotonic() / 1_000), answers.length - 1)] ?? answers[0];
  const fake = new FakeMember((call) => {
    if (now() === 'locked') call.refuse(7, 'etcdserver: permission denied');
    else if (call.method === 'Maintenance/Status') call.reply(statusOf(now()));
    else if (call.method === 'KV/Range' && now() === 'quorum') call.reply(new Uint8Array());
    else call.refuse(14, 'etcdserver: no leader');
  });
  using member = new MemberClient({ target: { host: 'm', port: 2379 }, clock: systemClock, dial: fake.dial });
  let isOver = false;
  const context = { signal: new AbortController().signal, onProgress: () => undefined };
  const said = surveyMembers(new Map([['a', member]]), false, electionMs, clock, context)
    .then(
      ({ verified }) => verified,
      (error: Error) => error.message,
    )
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await clock.advance(250);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return await said;
}

describe('members are asked for a quorum before a recovery', () => {
  test.each<readonly [string, readonly [Answer, ...Answer[]]]>([
    ['has none', ['alone']],
    ['still names the leader that is gone', ['leader', 'leader', 'alone']],
    ['does not let the operator in for a moment', ['locked', 'alone']],
    ['has one with pods that were deleted and run on', ['quorum', 'quorum', 'leader', 'alone']],
    ['names a leader again for a moment', ['alone', 'leader', 'alone']],
  ])('it goes on where the survivor %s', async (_what, answers) => {
    expect(await survey(...answers)).toBe('Pending');
  });

  test.each<readonly [string, readonly [Answer, ...Answer[]], string]>([
    ['a quorum that lasts', ['quorum'], 'the cluster has a quorum, because member a serves linearizable reads'],
    ['a quorum that comes', ['leader', 'leader', 'quorum'], 'the cluster has a quorum'],
    ['a quorum that elects a leader just then', ['alone', 'alone', 'quorum'], 'the cluster has a quorum'],
    ['members that never let the operator in', ['locked'], "rejected the operator's credentials"],
    ['a leader that is never reached', ['leader'], 'it is not known whether the cluster has a quorum'],
  ])('it is refused for %s', async (_what, answers, why) => {
    expect(await survey(...answers)).toContain(why);
  });

  test('a quorum with a long election timeout may take that long to elect a leader', async () => {
    expect(await surveyWith(2_000, 'alone', 'alone', 'alone', 'alone', 'quorum')).toContain('the cluster has a quorum');
    expect(await surveyWith(2_000, 'alone')).toBe('Pending');
  });
});
