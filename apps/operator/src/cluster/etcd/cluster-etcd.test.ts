// SPDX-License-Identifier: Apache-2.0
import { type Dialer, MemberClient } from '@operator-parts/etcd';
import { FakeMember } from '@operator-parts/etcd/testing';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test, vi } from 'vitest';
import { assertFresh, PlanTooOld, planAgeLimit } from '../act/plan-age.ts';
import { ClusterEtcd } from './cluster-etcd.ts';

const changes: readonly (readonly [string, (etcd: ClusterEtcd) => Promise<unknown>])[] = [
  ['memberAdd', (etcd) => etcd.memberAdd('http://b:2380', true)],
  ['memberRemove', (etcd) => etcd.memberRemove('b')],
  ['memberUpdate', (etcd) => etcd.memberUpdate('b', 'http://b:2380')],
  ['memberPromote', (etcd) => etcd.memberPromote('b')],
  ['moveLeader', (etcd) => etcd.moveLeader('a', 'b')],
  ['writeHarmlessEntries', (etcd) => etcd.writeHarmlessEntries(2)],
  ['enableDowngrade', (etcd) => etcd.enableDowngrade('3.5.35')],
  ['cancelDowngrade', (etcd) => etcd.cancelDowngrade()],
  ['disarmAlarm', (etcd) => etcd.disarmAlarm('a', 'NOSPACE')],
];

/** A cluster with one voter, `a`. The test only sees whether a connection to it is attempted. */
function scene(
  fence: () => void,
  reach: Dialer = () => Promise.reject(new Error('nobody is there')),
  clock = new VirtualClock(),
) {
  let dials = 0;
  const dial: Dialer = (...to) => {
    dials++;
    return reach(...to);
  };
  const client = new MemberClient({ target: { host: 'a', port: 2379 }, clock, dial });
  const voter = { name: 'a', member: { id: 'a' } };
  const { signal } = new AbortController();
  const voters = { healthyVoters: [voter], leader: voter };
  return { etcd: new ClusterEtcd(voters, new Map([['a', client]]), { fence, signal }), dials: () => dials };
}

describe('every change of etcd checks the lease first', () => {
  test('no method that changes etcd is missing in this test', () => {
    const methods = Object.getOwnPropertyNames(ClusterEtcd.prototype).filter((name) => name !== 'constructor');
    expect(changes.map(([name]) => name)).toEqual(methods);
  });

  test.each(changes)('%s is not sent without the lease', async (_name, change) => {
    const { etcd, dials } = scene(() => {
      throw new Error('this process does not hold the lease');
    });
    await expect(change(etcd)).rejects.toThrow('this process does not hold the lease');
    expect(dials()).toBe(0);
  });

  test.each(changes)('%s is sent with it', async (_name, change) => {
    const { etcd, dials } = scene(() => undefined);
    await change(etcd).catch(() => undefined);
    expect(dials()).toBeGreaterThan(0);
  });

  test.each(changes)('%s is not sent if the lease is lost while the connection is opened', async (_name, change) => {
    const member = new FakeMember((call) => call.reply(new Uint8Array()));
    let isLost = false;
    // The process is stopped here, and continues when another process is the leader.
    member.onDial(async () => {
      isLost = true;
    });
    const { etcd } = scene(() => {
      if (isLost) throw new Error('this process does not hold the lease');
    }, member.dial);
    await expect(change(etcd)).rejects.toThrow('this process does not hold the lease');
    expect(member.dialled).toHaveLength(1);
    expect(member.calls.map(({ method }) => method)).toEqual([]);
  });

  test.each(changes)('%s is not sent on a plan that is too old', async (_name, change) => {
    const clock = new VirtualClock();
    const { etcd, dials } = scene(() => assertFresh(0, clock.monotonic()));
    await clock.advance(planAgeLimit + 1);
    await expect(change(etcd)).rejects.toThrow(PlanTooOld);
    expect(dials()).toBe(0);
  });
});

describe('a change of the member list that got no answer', () => {
  const listChanges: typeof changes = [
    ['memberAdd', (etcd) => etcd.memberAdd('http://b:2380', false)],
    ...changes.filter(([name]) => name.startsWith('member') && name !== 'memberAdd'),
  ];

  test.each(listChanges)(
    '%s is sent once and counts as refused: the member list says whether it took effect',
    async (_name, change) => {
      const clock = new VirtualClock();
      const member = new FakeMember(() => undefined);
      const { etcd } = scene(() => undefined, member.dial, clock);
      const outcome = change(etcd);
      await vi.waitFor(() => expect(member.calls).toHaveLength(1));
      await clock.advance(60_000);
      await expect(outcome).resolves.toMatchObject({
        kind: 'refused',
        why: expect.stringContaining('the operator reads the member list again'),
      });
      expect(member.calls).toHaveLength(1);
    },
  );
});
