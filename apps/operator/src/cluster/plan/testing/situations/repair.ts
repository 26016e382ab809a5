// SPDX-License-Identifier: Apache-2.0
import {
  addMember,
  addPod,
  addVolume,
  budget,
  cannotPull,
  closed,
  container,
  down,
  healthy,
  joining,
  justMade,
  member,
  memberFor,
  node,
  now,
  pod,
  rowsOf,
  see,
  spec,
  volume,
  withoutMember,
  withoutPod,
  withoutVolume,
} from './vocabulary.ts';

const peersOf = (...letters: readonly string[]) => letters.flatMap((letter) => memberFor(letter).peerURLs);

const claim = { storage: 'claim' } as const;

/** Repairs what is incomplete, left over or edited by hand: operator rules 1, 9, 16, 28; faults 11, 16, 17 and 19. */
export const repair = rowsOf('healing', [
  {
    name: '[53] fault 11: crash between member add and pod: the learner gets its pod, no member is added twice',
    given: [healthy(2), spec({ size: 3 }), addMember('d', { isLearner: true, name: '' }), budget(2)],
    steps: ['createPod d existing 3.6.16'],
    because: 'was added to the cluster and has no pod yet',
  },
  {
    name: '[53] the same for a voter of 3.4',
    given: [healthy(2, { version: '3.4.44' }), spec({ size: 3 }), addMember('d', { name: '' }), budget(2)],
    steps: ['createPod d existing 3.4.44'],
  },
  {
    name: 'operator rule 9: two were added and never started: one goes, because each of them would wait for the other',
    given: [
      healthy(3),
      spec({ size: 5 }),
      addMember('f', { isLearner: true, name: '' }),
      addMember('g', { isLearner: true, name: '' }),
      budget(3),
    ],
    steps: ['removeMember f (dead)'],
    because: 'each of them would wait for the others',
  },
  {
    name: 'operator rule 18: a member without a pod waits while its secrets would fail',
    given: [
      healthy(2),
      spec({ size: 3 }),
      addMember('d', { isLearner: true, name: '' }),
      see({ secretProblems: ['expired'], budget: { minAvailable: 2, otherOwner: false } }),
    ],
    steps: [],
    because: 'expired',
  },
  {
    name: 'fault 16: crash after member remove: the pod of a removed member is deleted',
    given: [healthy(3), addPod('f', { ready: false })],
    steps: ['deletePod f'],
    because: 'Deleting pod/c-ffffffffff: its member is no longer in the cluster.',
    situation: 'steady',
  },
  {
    name: 'safety 13: one that is Ready is not deleted with its data: whoever was removed cannot be Ready for long',
    given: [healthy(3), addPod('f')],
    steps: [],
    because: 'because it is Ready',
    situation: 'steady',
  },
  {
    name: 'fault 17: a volume waits for its pod to end before it goes',
    given: [healthy(3, claim), addPod('f', { terminating: true }), addVolume('f')],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 25: the pod of a removed member on a node that is gone is deleted by force',
    given: [healthy(3), addPod('f', { terminating: true }), node('f', { exists: false })],
    steps: ['deletePod f by force'],
    situation: 'steady',
  },
  {
    name: '[61] removed and added again by hand under the same name: what the old one left is cleared away first',
    given: [healthy(3, claim), member('d', { id: 'id-new', name: '' }), down(1_000, 'd')],
    steps: ['deletePod d'],
    because: 'Deleting pod/c-dddddddddd: its member is no longer in the cluster.',
  },
  {
    name: '[61] then its volume',
    given: [healthy(3, claim), member('d', { id: 'id-new', name: '' }), withoutPod('d')],
    steps: ['deleteVolume d'],
    because: 'Deleting pvc/c-dddddddddd: its member is no longer in the cluster.',
  },
  {
    name: '[61] then it starts on an empty one',
    given: [healthy(3, claim), member('d', { id: 'id-new', name: '' }), withoutPod('d'), withoutVolume('d')],
    steps: ['createPod d existing 3.6.16'],
  },
  {
    name: 'fault 19: one of three is unreachable and the user asks for five: it is healed first',
    given: [healthy(3), spec({ size: 5 }), down(10_000, 'd'), budget(3)],
    steps: [],
    because: 'is not reachable from the operator',
  },
  {
    name: '[54] a pod on its volume cannot be scheduled, the spec is corrected: it is recreated',
    given: [
      healthy(3, claim),
      pod('d', { ...justMade, node: '', drift: [{ field: 'nodeSelector', remedy: 'replace' }] }),
      down(9_000, 'd'),
    ],
    steps: ['deletePod d'],
    because: 'nodeSelector',
  },
  {
    name: '[54] a voter of 3.4 that has never started follows a corrected spec',
    given: [
      healthy(3, { version: '3.4.44' }),
      member('d', { name: '' }),
      pod('d', { ...justMade, image: 'quay.io/coreos/etcd:v3.4.99' }),
      container('d', cannotPull),
      down(9_000, 'd'),
    ],
    steps: ['deletePod d'],
    because: 'image',
  },
  {
    name: '[66] a member on its volume whose image is gone takes the patch that is asked for, in place',
    given: [
      healthy(3, { ...claim, version: '3.6.16' }),
      spec({ version: '3.6.17' }),
      container('d', { ...cannotPull, restarts: 0 }),
      down(40_000, 'd'),
    ],
    steps: ['setImage d 3.6.17'],
    because:
      'Setting the image of pod/c-dddddddddd to quay.io/coreos/etcd:v3.6.17: it does not run with quay.io/coreos/etcd:v3.6.16 (ImagePullBackOff).',
  },
  {
    name: 'a fresh member does not run a version that was refused: it runs what the others run',
    given: [healthy(3, { version: '3.5.35' }), spec({ version: '3.7.3' }), withoutPod('d'), withoutMember('d')],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'scalingUp',
  },
  {
    name: 'a fresh member does not run the next minor before the upgrade has taken its gates',
    given: [healthy(3, { version: '3.5.35' }), spec({ version: '3.6.16' }), withoutPod('d'), withoutMember('d')],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'scalingUp',
  },
  {
    name: 'a fresh member runs the patch that is asked for',
    given: [healthy(3), spec({ version: '3.6.17' }), withoutPod('d'), withoutMember('d')],
    steps: ['joinMember as learner 3.6.17'],
    situation: 'scalingUp',
  },
  {
    name: 'a member that comes back on its volume runs what last served from it',
    given: [healthy(3, { ...claim, version: '3.5.35' }), spec({ version: '3.6.16' }), withoutPod('d')],
    steps: ['createPod d cleared 3.5.35 on its volume'],
  },
  {
    name: 'the spec no longer asks for volumes: a member comes back on the one it has all the same',
    given: [healthy(3, claim), spec({ storage: 'emptyDir' }), withoutPod('d')],
    steps: ['createPod d cleared 3.6.16 on its volume'],
  },
  {
    name: 'operator rules 1 and 28: a voter that was given its bootstrap configuration by hand loses it within one reconciliation',
    given: [healthy(3), pod('c', { boot: 'existing' })],
    steps: ['clearBootstrap c'],
    because:
      'Clearing the bootstrap configuration of pod/c-cccccccccc: a voter must not start with an empty data directory.',
    situation: 'steady',
  },
  {
    name: 'operator rule 16: a voter that lost its mark gets it back, so that the budget counts it',
    given: [healthy(3), pod('c', { markedVoter: false })],
    steps: ['clearBootstrap c'],
    because:
      'Clearing the bootstrap configuration of pod/c-cccccccccc: a voter must not start with an empty data directory.',
    situation: 'steady',
  },
  {
    name: 'operator rule 5: the volume of a voter does not say yet whose it is: it is written there',
    given: [healthy(3, claim), volume('d', { memberId: '', clusterId: '' })],
    steps: ['clearBootstrap d'],
    situation: 'steady',
  },
  {
    name: 'operator rule 1: a voter of 3.4 loses its bootstrap configuration as soon as its name is published, not before',
    given: [healthy(3, { version: '3.4.44' }), pod('d', { boot: 'existing', memberId: '', clusterId: '' })],
    steps: ['clearBootstrap d'],
    situation: 'steady',
  },
  {
    name: '[61] the claim of a living member was deleted by hand: its data moves to a fresh member before its pod may end',
    given: [
      healthy(1, claim),
      volume('b', { terminating: true }),
      pod('b', { drift: [{ field: 'nodeSelector', remedy: 'replace' }] }),
    ],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'updating',
  },
  {
    name: 'operator rule 9: a joining member that was to start beside a member that is gone gets the present list before it starts',
    given: [healthy(3), withoutPod('d'), withoutMember('d'), joining('f', { bootPeers: peersOf('b', 'c', 'd', 'f') })],
    steps: ['renewBootList f'],
    because:
      'Updating the member list of pod/c-ffffffffff, which has not started: the members have changed since the pod was created.',
  },
  {
    name: 'operator rule 9: one whose process has read the old list gets a pod with the present one',
    given: [
      healthy(3),
      withoutPod('d'),
      withoutMember('d'),
      joining('f', { bootPeers: peersOf('b', 'c', 'd', 'f') }),
      container('f', { id: 'x', state: 'running', startedAt: now - 1_000, runningSince: now - 1_000 }),
    ],
    steps: ['deletePod f'],
    because:
      'Recreating pod/c-ffffffffff, whose etcd has not started: the members have changed since the pod was created.',
  },
  {
    name: 'operator rule 9: a joining member that is up no longer needs its list, and is left alone',
    given: [
      healthy(3),
      withoutPod('d'),
      withoutMember('d'),
      joining('f', { bootPeers: peersOf('b', 'c', 'd', 'f') }),
      closed(500, 'f'),
    ],
    steps: [],
    because: 'Waiting for learner c-ffffffffff: its etcd runs, but its client port has not opened yet.',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: a joining member whose list is the present one is left alone',
    given: [healthy(3), withoutPod('d'), withoutMember('d'), joining('f', { bootPeers: peersOf('b', 'c', 'f') })],
    steps: [],
    because: 'Waiting for learner c-ffffffffff: its container is waiting: ContainerCreating.',
    situation: 'scalingUp',
  },
  {
    name: 'operator rules 1 and 9: a voter of 3.4 whose list is old is left alone while a process of it runs',
    given: [
      healthy(3, { version: '3.4.44' }),
      member('d', { name: '' }),
      pod('d', { boot: 'existing', memberId: '', markedVoter: false, bootPeers: peersOf('b', 'c', 'd', 'f') }),
      down(1_000, 'd'),
    ],
    steps: [],
    because: 'Waiting for member c-dddddddddd to start: its pod is starting.',
  },
  {
    name: 'operator rule 1: a voter of 3.4 that has not started keeps its bootstrap configuration',
    given: [
      healthy(3, { version: '3.4.44' }),
      member('d', { name: '' }),
      pod('d', { ...justMade, boot: 'existing', memberId: '', clusterId: '', markedVoter: false }),
      down(1_000, 'd'),
    ],
    steps: [],
    because: 'Waiting for member c-dddddddddd to start: its container is waiting: ContainerCreating.',
  },
]);
