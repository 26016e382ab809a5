// SPDX-License-Identifier: Apache-2.0
import {
  addMember,
  budget,
  healthy,
  member,
  now,
  pod,
  type Row,
  spec,
  withoutMember,
  withoutPod,
} from './vocabulary.ts';

const elsewhere = { podName: 'db-7', peerURLs: ['http://db-7.example:2380'], id: 'id-x' } as const;
const unstarted = { ...elsewhere, name: '' } as const;
const unstartedLearner = { ...unstarted, isLearner: true } as const;

/** A member after `etcdctl member update`. */
const byAddress = (ip: string) => ({ podName: '10', peerURLs: [`http://${ip}:2380`] });

/** Members that were added by hand: operator rules 9 and 29, fault 22, checklist 61. */
export const unmanaged: readonly Row[] = [
  {
    name: 'operator rule 29: a started unmanaged member is left alone, and does not count for the size',
    given: [healthy(3), addMember('x', { ...elsewhere, name: 'db-7' }), budget(3)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 29: a voter that never started may be a join in progress: it is not removed, however old',
    given: [healthy(3), addMember('x', { ...unstarted, seenSince: 0 }), budget(3)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 29: the operator waits for a learner that has not started yet',
    given: [healthy(3), addMember('x', { ...unstartedLearner, seenSince: now - 100_000 })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 29: a learner that has not started for five minutes is removed',
    given: [healthy(3), addMember('x', { ...unstartedLearner, seenSince: now - 301_000 })],
    steps: ['removeMember new (dead)'],
    because: 'Removing unmanaged learner id-x (http://db-7.example:2380): it has not started for 301 s.',
    situation: 'healing',
  },
  {
    name: 'a member whose address was changed by hand is still itself: its pod stays, and it gets its address back',
    given: [healthy(3), member('d', byAddress('10.0.0.7'))],
    steps: ['readdress d'],
    because:
      'Resetting the peer URL of member c-dddddddddd: it was changed to http://10.0.0.7:2380, which is not the address of the member.',
    situation: 'healing',
  },
  {
    name: 'the same with volumes',
    given: [healthy(3, { storage: 'claim' }), member('d', byAddress('10.0.0.7'))],
    steps: ['readdress d'],
    situation: 'healing',
  },
  {
    name: 'addresses of all members changed by hand remove no member',
    given: [
      healthy(3),
      member('b', byAddress('10.0.0.5')),
      member('c', byAddress('10.0.0.6')),
      member('d', byAddress('10.0.0.7')),
    ],
    steps: ['readdress b'],
    situation: 'healing',
  },
  {
    name: 'a member of CoreOS etcd-operator is known by what it answers, and keeps an address of another kind',
    given: [healthy(3), pod('d', { adopted: true, boot: 'fixed' }), member('d', byAddress('10.0.0.7'))],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'before anything is recorded on a pod, what it answers tells which member it is',
    given: [healthy(3), pod('d', { adopted: true, boot: 'fixed', memberId: '' }), member('d', byAddress('10.0.0.7'))],
    steps: ['clearBootstrap d'],
    situation: 'steady',
  },
  {
    name: "a member may be found under another's host name and port: it is still itself",
    given: [healthy(3), member('d', { podName: 'c-cccccccccc', peerURLs: ['http://c-cccccccccc.c.ns.svc:9999'] })],
    steps: ['readdress d'],
    situation: 'healing',
  },
  {
    name: 'a second address beside its own is left as it is',
    given: [
      healthy(3),
      member('d', {
        podName: '10',
        peerURLs: ['http://10.0.0.7:2380', 'http://c-dddddddddd.c.ns.svc:2380'],
      }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'a member whose address was changed by hand and whose pod is gone is ours by its name, and is replaced',
    given: [healthy(3), member('d', byAddress('10.0.0.7')), withoutPod('d')],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
  {
    name: 'operator rule 9: an unmanaged member that has not started keeps ours from joining, and it is said what to do',
    given: [healthy(3), spec({ size: 5 }), addMember('x', { ...unstarted, seenSince: now - 1_000 }), budget(3)],
    steps: [],
    because: 'remove it with etcdctl member remove',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 29: it does not keep a dead member of ours from being removed',
    given: [healthy(3), withoutPod('d'), addMember('x', { ...unstartedLearner, seenSince: now - 1_000 })],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
  {
    name: 'a started unmanaged member does not keep ours from joining',
    given: [healthy(3), spec({ size: 5 }), addMember('x', { ...elsewhere, name: 'db-7' }), budget(3)],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'an unmanaged member among the voters holds an upgrade back: its version is not known',
    given: [healthy(3), spec({ version: '3.6.17' }), addMember('x', { ...elsewhere, name: 'db-7' }), budget(3)],
    steps: [],
    because: 'the version of unmanaged member id-x (http://db-7.example:2380) is not known.',
    situation: 'upgrading',
  },
  {
    name: '[61] a member of ours was removed by hand: its pod goes, and a fresh one joins',
    given: [healthy(3), withoutMember('d'), pod('d', { ready: false })],
    steps: ['deletePod d', 'joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: '[61] a member of ours on a volume was removed by hand: its volume is kept until the fresh one votes',
    given: [healthy(3, { storage: 'claim' }), withoutMember('d'), withoutPod('d')],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'two external voters and one of ours: the list was agreed on, so there is a quorum',
    given: [
      healthy(1),
      addMember('x', { ...elsewhere, name: 'db-7' }),
      addMember('y', { ...elsewhere, id: 'id-y', podName: 'db-8', name: 'db-8' }),
    ],
    steps: ['ensureBudget 2'],
    situation: 'steady',
  },
];
