// SPDX-License-Identifier: Apache-2.0
import {
  addMember,
  answer,
  answers,
  budget,
  container,
  down,
  healthy,
  heard,
  idOf,
  learner,
  member,
  neverAnswered,
  node,
  noQuorum,
  now,
  pod,
  quorumFor,
  rowsOf,
  see,
  spec,
  unreachable,
  volume,
  withoutPod,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const unmanaged = { podName: 'db-7', name: 'db-7', id: 'id-x', peerURLs: ['http://10.1.1.1:2380'] };
const noAddress = { ip: '', node: '', phase: 'Pending', ready: false } as const;
const unscheduled = { id: '', state: 'waiting', reason: 'Unschedulable', startedAt: 0, runningSince: 0 } as const;

/** Which members are dead, and which only seem dead: safety rules 13, 14 and 16. */
export const evidence = rowsOf('healing', [
  {
    name: 'safety 13: a Ready voter that only the operator cannot reach is not replaced, however long it takes',
    given: [healthy(3), unreachable(3_600_000, 'd')],
    steps: [],
    because: 'Member c-dddddddddd is not reachable from the operator (connection refused).',
  },
  {
    name: 'safety 13: the same of the leader',
    given: [healthy(3), unreachable(3_600_000, 'b')],
    steps: [],
    because: 'its pod is Ready',
  },
  {
    name: 'safety 13: one that came up a moment ago and is Ready is not starting: status says who cannot reach it',
    given: [healthy(3), unreachable(5_000, 'd'), pod('d', { seenSince: now - 10_000 })],
    steps: [],
    because: 'is not reachable from the operator',
  },
  {
    name: 'one is dead and another only unreachable: with the one that answers, a quorum of pods is Ready, and no quorum is lost',
    given: [healthy(3), unreachable(60_000, 'c'), down(60_000, 'd')],
    steps: [],
    because: 'The operator cannot reach pod/c-cccccccccc',
    situation: 'unreachable',
  },
  {
    name: 'one is dead, another stops answering, and the third has no leader: no member is Ready any more, whatever the last probe said',
    given: [
      healthy(3),
      unreachable(1_000, 'c'),
      down(60_000, 'd'),
      answer('b', { leaderId: '', leaderlessSince: now - 500 }),
      noQuorum,
    ],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'beside an unmanaged leader, which cannot be asked, a learner that has caught up with our voters becomes a voter',
    given: [
      healthy(3),
      spec({ size: 4 }),
      learner('f'),
      addMember('x', unmanaged),
      ...['b', 'c', 'd', 'f'].map((letter) => answer(letter, { leaderId: unmanaged.id })),
    ],
    steps: ['ensureBudget 3', 'clearBootstrap f', 'promote f'],
  },
  {
    name: 'safety 14: where nodes cannot be read, Ready alone objects',
    given: [healthy(3), unreachable(3_600_000, 'd'), see({ nodes: new Map() })],
    steps: [],
    because: 'its pod is Ready',
  },
  {
    name: 'a pod that is Ready by the last word of a node that no longer reports is not Ready',
    given: [healthy(3), unreachable(130_000, 'd'), node('d', { ready: false })],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'one that has not answered an operator that was started meanwhile is not opening its data if it passed its startup probe',
    given: [healthy(3), down(130_000, 'd'), neverAnswered('d'), container('d', { hasStarted: true })],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'one that has not answered an operator that was started meanwhile, and has not passed its startup probe, opens its data',
    given: [healthy(3), down(130_000, 'd'), neverAnswered('d')],
    steps: [],
    because: 'Waiting for member c-dddddddddd: etcd is opening its data.',
  },
  {
    name: 'safety 13: a voter that is not Ready, and whom the leader still hears, is not replaced',
    given: [healthy(3), down(3_600_000, 'd'), heard('b', 'c', 'd')],
    steps: [],
    because: 'c-bbbbbbbbbb received data from this member a moment ago',
  },
  {
    name: 'a voter that is not Ready, and whom the leader does not hear, is replaced',
    given: [healthy(3), down(130_000, 'd'), heard('b', 'c')],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'safety 13: patience starts again when quorum returns: who was cut off all the time gets its time again',
    given: [healthy(3), down(600_000, 'd'), quorumFor(5_000)],
    steps: [],
    because:
      'Member c-dddddddddd is not reachable from the operator (connection refused). The member will be replaced if this lasts 120 s (spec.pod.replaceAfter).',
  },
  {
    name: 'safety 13: the survivor of a lost quorum, which knew no leader for long, is not replaced when quorum returns',
    given: [
      healthy(3),
      answer('d', { leaderId: '', leaderlessSince: now - 600_000 }),
      pod('d', { ready: false }),
      quorumFor(2_000),
    ],
    steps: [],
    because:
      'Member c-dddddddddd is reachable and has no leader. The member will be replaced if this lasts 120 s (spec.pod.replaceAfter).',
  },
  {
    name: 'safety 13: an answer of another cluster at its address removes no member at once',
    given: [healthy(3, claim), answer('d', { clusterId: 'c9', memberId: 'id-z', identitySince: now - 1_000 })],
    steps: [],
    because: 'it answers as a member of another cluster (c9)',
  },
  {
    name: 'safety 13: nor does one that lasts, while the leader hears the member itself',
    given: [
      healthy(3, claim),
      answer('d', { clusterId: 'c9', memberId: 'id-z', identitySince: now - 600_000 }),
      heard('b', 'c', 'd'),
    ],
    steps: [],
    because: 'received data from this member',
  },
  {
    name: 'a member whose volume holds the data of another is replaced once that has lasted',
    given: [healthy(3, claim), answer('d', { memberId: 'id-z', identitySince: now - 130_000 }), heard('b', 'c')],
    steps: ['removeMember d (dead)'],
    because: 'it answers as another member (id-z)',
  },
  {
    name: 'a voter whose pod has no address is replaced after the delay: its volume is on a node that is drained',
    given: [healthy(3, claim), down(130_000, 'd'), pod('d', noAddress), container('d', unscheduled)],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'before that the operator waits for it',
    given: [healthy(3, claim), down(40_000, 'd'), pod('d', noAddress), container('d', unscheduled)],
    steps: [],
    because:
      'Member c-dddddddddd is not reachable from the operator (its container is waiting: Unschedulable). The member will be replaced if this lasts 120 s (spec.pod.replaceAfter).',
  },
  {
    name: 'a Terminating pod that never had an address is replaced after the delay',
    given: [healthy(3, claim), down(130_000, 'd'), pod('d', { ...noAddress, terminating: true })],
    steps: ['removeMember d (dead)'],
    because: 'stuck terminating',
  },
  {
    name: 'one OOM kill long ago does not keep an unreachable member for ever',
    given: [
      healthy(3),
      container('d', { lastExit: { code: 137, reason: 'OOMKilled', message: '' } }),
      down(130_000, 'd'),
    ],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'a pod that was evicted for lack of memory has lost its data: it is replaced',
    given: [
      healthy(3),
      pod('d', { phase: 'Failed', ready: false }),
      container('d', { state: 'terminated', lastExit: { code: 137, reason: 'OOMKilled', message: '' } }),
      down(1_000, 'd'),
    ],
    steps: ['removeMember d (dead)'],
    because: 'its pod stopped (Failed)',
  },
  {
    name: 'safety 18: no member is reachable and all pods are Ready: the operator is cut off, and no restore is advised',
    given: [healthy(3, claim), unreachable(60_000, 'b', 'c', 'd'), noQuorum],
    steps: [],
    because: 'Do not restore a backup',
    situation: 'unreachable',
  },
  {
    name: 'safety 18: no member is reachable and the pods are not Ready: quorum is lost',
    given: [healthy(3, claim), down(60_000, 'b', 'c', 'd'), noQuorum],
    steps: [],
    because:
      'Quorum lost: the members cannot be listed (no member answers). Waiting for members to return. If the data is gone, see runbook quorum-lost.',
    situation: 'quorumLost',
  },
  {
    name: 'safety 14: beside a running unmanaged learner, no member joins as a voter',
    given: [healthy(1), spec({ size: 3 }), addMember('x', { ...unmanaged, isLearner: true })],
    steps: ['ensureBudget 2'],
    because:
      'No member can join because of unmanaged learner id-x (http://10.1.1.1:2380): etcd accepts one learner at a time. Promote that learner, or remove it with etcdctl member remove.',
    situation: 'scalingUp',
  },
  {
    name: 'safety 14: beside a running unmanaged voter, members join as learners',
    given: [healthy(3), spec({ size: 5 }), addMember('x', unmanaged), budget(3)],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'safety 14: the same on 3.5, where the version of the cluster is not asked for',
    given: [
      healthy(3, { version: '3.5.35' }),
      (seen) => ({ ...seen, etcd: { ...seen.etcd, clusterVersion: '' } }),
      spec({ size: 5 }),
      addMember('x', unmanaged),
      budget(3),
    ],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'scalingUp',
  },
  {
    name: 'a member that is gone is replaced beside an unmanaged voter, and the fresh one joins as a learner',
    given: [healthy(2), spec({ size: 3 }), addMember('x', unmanaged)],
    steps: ['joinMember as learner 3.6.16'],
  },
  {
    name: 'safety 13: after a replacement for a deleted PVC no member is removed while a Ready one is unreachable',
    given: [
      healthy(4, claim),
      spec({ size: 3 }),
      volume('c', { terminating: true }),
      unreachable(1_000, 'd'),
      heard('b', 'c', 'd', 'f'),
      budget(3),
    ],
    steps: [],
    because: 'Member c-dddddddddd is not reachable from the operator (connection refused).',
  },
  {
    name: 'safety 13: after a dead one of five was replaced by adding first, the dead one goes, not one that is Ready',
    given: [
      healthy(6),
      spec({ size: 5 }),
      answers({ leaderId: idOf('f') }),
      down(3_600_000, 'h'),
      unreachable(1_000, 'b'),
      heard('f', 'b', 'c', 'd', 'g'),
      budget(4),
    ],
    steps: ['removeMember h (scale)'],
    situation: 'scalingDown',
  },
  {
    name: 'a member under another domain is not ours because its first label looks like ours',
    given: [
      healthy(3),
      addMember('x', {
        podName: 'c-2024',
        name: 'c-2024',
        id: 'id-x',
        peerURLs: ['http://c-2024.site-b.example:2380'],
      }),
      budget(3),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'beside an unmanaged voter that ours hear, a lost one of two is replaced',
    given: [healthy(2), addMember('x', unmanaged), withoutPod('c'), heard('b', 'x')],
    steps: ['removeMember c (dead)'],
  },
  {
    name: 'safety 18: a linearizable list was just read: quorum is not lost, whoever cannot be reached',
    given: [healthy(3), down(60_000, 'c', 'd')],
    steps: [],
    because: 'it has just served a linearizable read',
    situation: 'unreachable',
  },
  {
    name: 'safety 14: another member answers at the address of a Ready voter, and it is unknown from which peers traffic arrives: it stays',
    given: [healthy(3), answer('d', { clusterId: 'c9', memberId: 'id-z', identitySince: now - 3_600_000 })],
    steps: [],
    because: 'Member c-dddddddddd is lost (it answers as a member of another cluster (c9)).',
  },
  {
    name: 'a learner whose name a recorded volume has is taken out, and the volume is kept',
    given: [healthy(3, claim), member('d', { id: 'id-new', name: '', isLearner: true }), withoutPod('d')],
    steps: ['removeMember d (dead)'],
    because: 'pvc/c-dddddddddd holds the data of member id-d and is kept.',
  },
]);
