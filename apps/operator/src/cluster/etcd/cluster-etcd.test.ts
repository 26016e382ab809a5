// SPDX-License-Identifier: Apache-2.0
import { MemberClient } from '@etcd-operator/etcd';
import { VirtualClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
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

/** One voter, `a`, of which only is seen whether anybody tries to reach it. */
function scene(fence: () => void) {
  const clock = new VirtualClock();
  let dials = 0;
  const dial = () => {
    dials++;
    return Promise.reject(new Error('nobody is there'));
  };
  const client = new MemberClient({ target: { host: 'a', port: 2379 }, clock, dial });
  const voter = { name: 'a', member: { id: 'a' } };
  const { signal } = new AbortController();
  const voters = { healthyVoters: [voter], leader: voter };
  return { etcd: new ClusterEtcd(voters, new Map([['a', client]]), { fence, signal }), dials: () => dials };
}

describe('every change of etcd passes the fence', () => {
  test('no method that changes etcd is missing in this test', () => {
    const methods = Object.getOwnPropertyNames(ClusterEtcd.prototype).filter((name) => name !== 'constructor');
    expect(changes.map(([name]) => name)).toEqual(methods);
  });

  test.each(changes)('%s is not sent without the lease', async (_name, change) => {
    const { etcd, dials } = scene(() => {
      throw new Error('the lease is not held');
    });
    await expect(change(etcd)).rejects.toThrow('the lease is not held');
    expect(dials()).toBe(0);
  });

  test.each(changes)('%s is sent with it', async (_name, change) => {
    const { etcd, dials } = scene(() => undefined);
    await change(etcd).catch(() => undefined);
    expect(dials()).toBeGreaterThan(0);
  });

  test.each(changes)('%s is not sent on a plan that is too old', async (_name, change) => {
    const clock = new VirtualClock();
    const { etcd, dials } = scene(() => assertFresh(0, clock.monotonic()));
    await clock.advance(planAgeLimit + 1);
    await expect(change(etcd)).rejects.toThrow(PlanTooOld);
    expect(dials()).toBe(0);
  });
});
