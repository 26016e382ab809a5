// SPDX-License-Identifier: Apache-2.0
import {
  addMember,
  addVolume,
  answer,
  answers,
  corrupt,
  down,
  healthy,
  heard,
  learner,
  pod,
  rowsOf,
  spec,
  unreachable,
  withoutPod,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const unmanaged = { podName: 'db-7', name: 'db-7', id: 'id-x', peerURLs: ['http://10.1.1.1:2380'] };

/** etcd has raised CORRUPT: members have different data, and no client can write. */
export const corruption = rowsOf('healing', [
  {
    name: 'fault 30: one voter differs from the two others: it is removed at once, for no client can write until then',
    given: [healthy(3), corrupt({ b: 1, c: 2, d: 1 })],
    steps: ['removeMember c (corrupt)'],
    because:
      'The data of member c-cccccccccc differs from the majority. Replacing member c-cccccccccc; after that the alarm is disarmed.',
  },
  {
    name: 'fault 30: it leads: one that holds the right data takes over first',
    given: [healthy(5), corrupt({ b: 2, c: 3, d: 1, f: 1, g: 1 }), answer('c', { raftAppliedIndex: 2000 })],
    steps: ['moveLeader b to d'],
  },
  {
    name: 'fault 30: whom etcd names is not asked: its periodic check takes the leader for right',
    given: [
      healthy(3),
      corrupt({ b: 2, c: 1, d: 1 }),
      answers({ alarms: ['memberID:12 alarm:CORRUPT '], leaderId: 'id-c' }),
    ],
    steps: ['removeMember b (corrupt)'],
  },
  {
    name: 'fault 30: the one that differed is gone, and all others hold the same: the alarm is disarmed',
    given: [healthy(2), spec({ size: 3 }), corrupt({ b: 1, c: 1 })],
    steps: ['disarmAlarm CORRUPT of 0'],
    because: 'All voters hold the same data',
  },
  {
    name: 'fault 30: every member that etcd has named is taken off the list',
    given: [
      healthy(3),
      corrupt({ b: 1, c: 1, d: 1 }),
      answers({ alarms: ['memberID:255 alarm:CORRUPT ', 'memberID:16  alarm:CORRUPT'] }),
    ],
    steps: ['disarmAlarm CORRUPT of 10', 'disarmAlarm CORRUPT of ff'],
  },
  {
    name: 'fault 30: not before all have reached one revision: who is behind may lack writes for good',
    given: [healthy(3), corrupt({ b: 1, c: 1, d: { reached: 101 } })],
    steps: [],
    because: 'Waiting for all voters to reach the same revision',
  },
  {
    name: 'fault 30: the operator waits for a voter that did not tell its hash',
    given: [healthy(3), corrupt({ b: 1, c: 1 })],
    steps: [],
    because: 'Waiting for member c-dddddddddd to be compared with the majority of voters.',
  },
  {
    name: 'fault 30: hashes after different compactions are not compared',
    given: [healthy(3), corrupt({ b: 1, c: { hash: 2, compactRevision: 60 }, d: 1 })],
    steps: [],
    because:
      'etcd has raised CORRUPT. No majority of voters is known to hold the same data. No member is replaced; see runbook data-corruption.',
  },
  {
    name: 'fault 30: no majority among three: nothing is replaced, and the hash of each is told',
    given: [healthy(3), corrupt({ b: 1, c: 2, d: 3 })],
    steps: [],
    because: 'etcd has raised CORRUPT.',
  },
  {
    name: 'fault 30: two of three agree, and the third may be asked later: two of two would not do',
    given: [healthy(2), corrupt({ b: 1, c: 2 })],
    steps: [],
    because:
      'etcd has raised CORRUPT. No majority of voters is known to hold the same data. No member is replaced; see runbook data-corruption.',
  },
  {
    name: 'fault 30: a single voter has no other to be compared with: a person decides',
    given: [healthy(1), corrupt({ b: 1 })],
    steps: [],
    because: 'runbook data-corruption',
  },
  {
    name: 'fault 30: an unmanaged voter counts for the majority and cannot be asked',
    given: [healthy(3), addMember('x', unmanaged), corrupt({ b: 1, c: 2, d: 1 })],
    steps: ['ensureBudget 3'],
    because: 'No majority',
  },
  {
    name: 'fault 30: no member joins meanwhile',
    given: [healthy(3), spec({ size: 5 }), corrupt({ b: 1, c: 2, d: 3 })],
    steps: ['ensureBudget 3'],
    because: 'No majority',
  },
  {
    name: 'fault 30: a learner is not promoted while it is unknown whose data it got',
    given: [healthy(3), spec({ size: 4 }), learner('f'), corrupt({ b: 1, c: 2, d: 3 })],
    steps: ['ensureBudget 3'],
    because: 'No majority',
  },
  {
    name: 'fault 30: a learner joins again after it: where its data came from is not known, and it does not tell its hash',
    given: [healthy(3), spec({ size: 4 }), learner('f'), corrupt({ b: 1, c: 2, d: 1 })],
    steps: ['ensureBudget 3', 'removeMember f (corrupt)'],
    because:
      'Removing learner c-ffffffffff: etcd has raised CORRUPT, and the learner may have received wrong data. It is added again later.',
  },
  {
    name: 'fault 30: it stays while another voter is about to go: without both there is no quorum',
    given: [healthy(3, claim), pod('d', { terminating: true }), corrupt({ b: 1, c: 2, d: 1 })],
    steps: [],
    because: 'Waiting to replace member c-cccccccccc: 1 healthy voter would remain, 2 are needed.',
  },
  {
    name: 'fault 30: a dead voter whose data is gone is removed where the others agree, and no member joins first',
    given: [healthy(5), withoutPod('g'), corrupt({ b: 1, c: 1, d: 1, f: 1 })],
    steps: ['removeMember g (dead)'],
  },
  {
    name: 'fault 30: a dead voter stays where it is unknown whose data is right',
    given: [healthy(3, claim), down(3_600_000, 'd'), heard('b', 'c'), corrupt({ b: 1, c: 2 })],
    steps: [],
    because: 'No majority',
  },
  {
    name: 'safety 13: under CORRUPT no pod is Ready: that is no evidence against one that only the operator cannot reach',
    given: [healthy(3), corrupt({ b: 1, c: 1 }), unreachable(3_600_000, 'd'), pod('d', { ready: false })],
    steps: [],
    because:
      'Member c-dddddddddd is not reachable from the operator (connection refused). The member is not replaced, because there is only one sign that it is dead (it is not reachable).',
  },
  {
    name: 'safety 15: the volume of a member that is gone is kept while CORRUPT is raised',
    given: [healthy(3, claim), addVolume('f'), corrupt({ b: 1, c: 2, d: 3 })],
    steps: [],
    because:
      'This step is held back, because etcd has raised CORRUPT, and the data that would be lost may be the valid copy: Deleting pvc/c-ffffffffff: its member is no longer in the cluster.',
  },
]);
