// SPDX-License-Identifier: Apache-2.0
import { patched, upgraded } from './rolling.ts';
import {
  answer,
  answers,
  type Change,
  cannotPull,
  cluster,
  container,
  down,
  healthy,
  memberFor,
  node,
  noQuorum,
  nothingHeard,
  now,
  pod,
  pods,
  rowsOf,
  see,
  spec,
  unreachable,
  volume,
  withoutPod,
  withoutVolume,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const isWaiting = { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 9 } as const;

const restartingAlone = [healthy(1), spec({ version: '3.6.17' }), patched('b', '3.6.17', '3.6.16')];

const remembered =
  (...members: readonly ReturnType<typeof memberFor>[]): Change =>
  (seen) => ({
    ...seen,
    etcd: { ...seen.etcd, membership: { kind: 'unknown', why: 'no leader', remembered: members } },
  });

/** Without a quorum: safety rule 7; faults 6, 20, 21, 24; checklist 53, 57, 59, 60. */
export const quorum = rowsOf('quorumLost', [
  {
    name: '[59] fault 20: two of three are unreachable: nothing is changed, and the message says what to do',
    given: [healthy(3), down(5_000, 'c', 'd'), noQuorum],
    steps: [],
    because:
      'Quorum lost: the members cannot be listed (no member answers). Waiting for members to return. If the data is gone, see runbook quorum-lost.',
  },
  {
    name: 'fault 20: the user scales meanwhile: no membership call',
    given: [healthy(3), spec({ size: 5 }), down(5_000, 'c', 'd'), noQuorum],
    steps: [],
  },
  {
    name: 'fault 20: the user upgrades meanwhile: no pod is restarted',
    given: [healthy(3), spec({ version: '3.6.17' }), down(5_000, 'c', 'd'), noQuorum],
    steps: [],
  },
  {
    name: 'fault 20: the user changes labels or policy meanwhile: nothing',
    given: [
      healthy(3, claim),
      pods({ drift: [{ field: 'affinity', remedy: 'replace' }] }),
      down(5_000, 'c', 'd'),
      noQuorum,
    ],
    steps: [],
  },
  {
    name: 'fault 21: two of three are gone with their data: nothing automatic',
    given: [healthy(3), withoutPod('c', 'd'), answers({ leaderId: '', leaderlessSince: now - 9_000 }), noQuorum],
    steps: [],
    because:
      'Quorum lost: the members cannot be listed (no member answers). Waiting for members to return. If the data is gone, see runbook quorum-lost.',
  },
  {
    name: '[57] all pods are gone, volumes are there: all come back as themselves, without bootstrap configuration',
    given: [healthy(3, claim), withoutPod('b', 'c', 'd'), noQuorum],
    steps: [
      'createPod b cleared 3.6.16 on its volume',
      'createPod c cleared 3.6.16 on its volume',
      'createPod d cleared 3.6.16 on its volume',
    ],
    because: 'Creating pod/c-bbbbbbbbbb on its existing volume.',
  },
  {
    name: '[57] power loss in the middle of an upgrade: each comes back with what last served from its volume',
    given: [
      healthy(3, { ...claim, version: '3.5.35' }),
      spec({ version: '3.6.16' }),
      volume('c', { version: '3.6.16' }),
      withoutPod('b', 'c', 'd'),
      noQuorum,
    ],
    steps: [
      'createPod b cleared 3.5.35 on its volume',
      'createPod c cleared 3.6.16 on its volume',
      'createPod d cleared 3.5.35 on its volume',
    ],
  },
  {
    name: '[57] power loss right after a patch of the image: what was started is started again, with its way back',
    given: [
      healthy(1, { ...claim, version: '3.6.16' }),
      spec({ version: '3.7.3' }),
      volume('b', { version: '3.7.3', previousVersion: '3.6.16' }),
      withoutPod('b'),
      noQuorum,
    ],
    steps: ['createPod b cleared 3.7.3 on its volume, else 3.6.16'],
  },
  {
    name: '[57] power loss with a refused version in the spec: nothing comes back with that',
    given: [
      healthy(3, { ...claim, version: '3.5.35' }),
      spec({ version: '3.7.3' }),
      volume('b', { version: '' }),
      withoutPod('b', 'c', 'd'),
      withoutVolume('c', 'd'),
      noQuorum,
    ],
    steps: ['createPod b cleared 3.5.35 on its volume'],
  },
  {
    name: 'pods on volumes that have ended are cleared away, so that they can come back',
    given: [healthy(3, claim), pods({ phase: 'Failed' }), down(1_000, 'b', 'c', 'd'), noQuorum],
    steps: ['deletePod b', 'deletePod c', 'deletePod d'],
    because: 'Recreating pod/c-bbbbbbbbbb on its volume: it stopped (Failed).',
  },
  {
    name: 'pods without volumes that have ended are left: a person may still save something',
    given: [healthy(3), pods({ phase: 'Failed' }), down(1_000, 'b', 'c', 'd'), noQuorum],
    steps: [],
  },
  {
    name: 'a volume that is being deleted is not mounted again',
    given: [healthy(3, claim), withoutPod('c', 'd'), volume('d', { terminating: true }), noQuorum],
    steps: ['createPod c cleared 3.6.16 on its volume'],
  },
  {
    name: 'operator rule 25: pods that hang in their end on nodes that are gone are deleted by force; their volumes come back',
    given: [
      healthy(3, claim),
      pod('c', { terminating: true }),
      pod('d', { terminating: true }),
      down(9_000, 'c', 'd'),
      node('c', { exists: false }),
      node('d', { exists: false }),
      noQuorum,
    ],
    steps: ['deletePod c by force', 'deletePod d by force'],
  },
  {
    name: '[33] a missing peer Service keeps members from finding each other: it is repaired also now',
    given: [healthy(3), see({ services: { peer: 'missing', client: 'current' } }), down(5_000, 'c', 'd'), noQuorum],
    steps: ['ensureService peer'],
  },
  {
    name: 'operator rule 28: a voter that was given its bootstrap configuration by hand loses it also without a quorum',
    given: [healthy(3), pod('c', { boot: 'existing' }), down(5_000, 'c', 'd'), noQuorum],
    steps: ['clearBootstrap c'],
  },
  {
    name: 'a learner keeps its bootstrap configuration: without a quorum it is unknown whether it has started',
    given: [
      healthy(3),
      pod('d', { boot: 'existing', markedVoter: false, memberId: '', clusterId: '' }),
      down(5_000, 'c', 'd'),
      noQuorum,
    ],
    steps: [],
  },
  {
    name: '[66] the only member crash-loops, and a patch that cures it is asked for: it takes it in place',
    given: [healthy(1), spec({ version: '3.6.17' }), container('b', isWaiting), down(90_000, 'b'), noQuorum],
    steps: ['setImage b 3.6.17'],
    because:
      'Setting the image of pod/c-bbbbbbbbbb to quay.io/coreos/etcd:v3.6.17: it does not run with quay.io/coreos/etcd:v3.6.16 (CrashLoopBackOff).',
  },
  {
    name: '[63] the only member crash-loops with its new minor: it goes back, though there is no quorum',
    given: [
      healthy(1, { version: '3.5.35', storage: 'claim' }),
      spec({ version: '3.6.16' }),
      pod('b', {
        version: '3.6.16',
        image: 'quay.io/coreos/etcd:v3.6.16',
        previousVersion: '3.5.35',
        previousImage: 'quay.io/coreos/etcd:v3.5.35',
        previousContainer: 'container-b',
      }),
      container('b', { id: 'another', state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 3 }),
      down(60_000, 'b'),
      noQuorum,
    ],
    steps: ['setImage b 3.5.35 (back)'],
  },
  {
    name: '[61] below quorum the pod of a claim that is being deleted is not recreated: the data would go with it',
    given: [
      healthy(1, { storage: 'claim' }),
      volume('b', { terminating: true }),
      pod('b', { drift: [{ field: 'nodeSelector', remedy: 'replace' }] }),
      container('b', { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0 }),
      down(5_000, 'b'),
      noQuorum,
    ],
    steps: [],
  },
  {
    name: '[66] another minor is not tried on a member that does not run',
    given: [healthy(1), spec({ version: '3.7.3' }), container('b', isWaiting), down(90_000, 'b'), noQuorum],
    steps: [],
  },
  {
    name: '[66] a version that has failed already is not tried again',
    given: [
      healthy(1),
      spec({ version: '3.6.17' }),
      cluster((facts) => ({ ...facts, failedUpgrade: { version: '3.6.17', generation: 2, message: 'x' } })),
      container('b', isWaiting),
      down(90_000, 'b'),
      noQuorum,
    ],
    steps: [],
  },
  {
    name: '[54] all pods on volumes cannot be scheduled, the spec is corrected: they are recreated',
    given: [
      healthy(1, claim),
      pod('b', { node: '', drift: [{ field: 'nodeSelector', remedy: 'replace' }] }),
      container('b', { ...cannotPull, reason: 'Unschedulable' }),
      down(90_000, 'b'),
      noQuorum,
    ],
    steps: ['deletePod b'],
    because: 'nodeSelector',
  },
  {
    name: '[53] 3.4 from one to two, crash before the pod: the voter that never started is started',
    given: [
      healthy(1, { version: '3.4.44' }),
      spec({ size: 2 }),
      answers({ leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '' }),
    ],
    steps: ['createPod c existing 3.4.44'],
    because: 'is needed for quorum',
  },
  {
    name: 'operator rule 1: who remembers a voter as never started may have slept while it voted with one that is down: it is not started on nothing',
    given: [
      healthy(3, { version: '3.4.44' }),
      withoutPod('c'),
      down(3_000, 'd'),
      answer('b', { leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '' }, memberFor('d')),
    ],
    steps: [],
    because: 'Quorum lost: the members cannot be listed (no leader). Waiting for members to return.',
  },
  {
    name: '[53] with every other voter there, the one that never started is started',
    given: [
      healthy(3, { version: '3.4.44' }),
      withoutPod('c'),
      answers({ leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '' }, memberFor('d')),
    ],
    steps: ['createPod c existing 3.4.44'],
    because: 'is needed for quorum',
  },
  {
    name: '[53] its pod was evicted before it started: it gets another',
    given: [
      healthy(2, { version: '3.4.44' }),
      pod('c', { phase: 'Failed' }),
      down(3_000, 'c'),
      answer('b', { leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '' }),
    ],
    steps: ['deletePod c'],
    because: 'before its member started',
  },
  {
    name: 'operator rule 29: an unmanaged member that never started is not started by us, also without a quorum',
    given: [
      healthy(1, { version: '3.4.44' }),
      answers({ leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), {
        ...memberFor('c'),
        name: '',
        podName: 'elsewhere',
        peerURLs: ['http://elsewhere.example:2380'],
      }),
    ],
    steps: [],
  },
  {
    name: 'an election is on: a moment without a leader is no reason to touch anything',
    given: [healthy(3), answers({ leaderId: '', leaderlessSince: now - 300 }), noQuorum],
    steps: [],
  },
  {
    name: 'fault 24: the list was read, but fewer voters than a quorum answer now: nothing is decided on it',
    given: [healthy(5), down(1_000, 'd', 'f', 'g')],
    steps: [],
    because: 'The operator can reach 2 of 5 voters and needs 3 to change anything',
    situation: 'unreachable',
  },
  {
    name: 'two of three are being deleted and still answer: there is a quorum, and a replacement joins',
    given: [healthy(3), pod('c', { terminating: true }), pod('d', { terminating: true })],
    steps: ['joinMember as learner 3.6.16'],
    because:
      'Adding member c-7bs6ncjq77 to replace c-cccccccccc, because its pod is being deleted, and its data with it.',
    situation: 'healing',
  },
  {
    name: 'operator rule 4: below quorum a volume of another cluster ID is not mounted',
    given: [healthy(3, claim), withoutPod('b', 'c', 'd'), noQuorum, answer('b', {}), volume('d', { memberId: '' })],
    steps: ['createPod b cleared 3.6.16 on its volume', 'createPod c cleared 3.6.16 on its volume'],
  },
  {
    name: 'access control keeps us out: that is said, and is no loss of quorum',
    given: [
      healthy(3),
      down(5_000, 'b', 'c', 'd'),
      nothingHeard({ kind: 'unknown', why: 'user name is empty', locked: 'name a user in spec.auth.secret' }),
    ],
    steps: [],
    because: 'spec.auth.secret',
    situation: 'locked',
  },
  {
    name: 'safety 18: the only member restarts with another version: that is the upgrade, and no loss of quorum',
    given: [...restartingAlone, down(5_000, 'b'), noQuorum],
    steps: [],
    because: 'Waiting for member c-bbbbbbbbbb to restart with 3.6.17. There is no quorum until then.',
    situation: 'upgrading',
  },
  {
    name: 'safety 18: it is stopped between two questions, or before the kubelet has noticed',
    given: [...restartingAlone, noQuorum],
    steps: [],
    situation: 'upgrading',
  },
  {
    name: 'safety 18: it does not answer, and Kubernetes still calls it Ready',
    given: [...restartingAlone, unreachable(100, 'b'), noQuorum],
    steps: [],
    situation: 'upgrading',
  },
  {
    name: 'safety 18: it is up, confirmed, and elects itself',
    given: [
      healthy(1),
      spec({ version: '3.6.17' }),
      ...upgraded('b', '3.6.17'),
      container('b', { runningSince: now - 2_000 }),
      answer('b', { leaderId: '', leaderlessSince: now - 1_000 }),
      noQuorum,
    ],
    steps: [],
    situation: 'upgrading',
  },
  {
    name: 'safety 18: one of two restarts, and the other has no leader meanwhile',
    given: [
      healthy(2),
      spec({ version: '3.6.17' }),
      patched('c', '3.6.17', '3.6.16'),
      down(5_000, 'c'),
      answer('b', { leaderId: '', leaderlessSince: now - 4_000 }),
      noQuorum,
    ],
    steps: [],
    situation: 'upgrading',
  },
  {
    name: 'safety 18: but a restart that does not end is a loss of quorum',
    given: [...restartingAlone, down(61_000, 'b'), noQuorum],
    steps: [],
  },
  {
    name: 'safety 18: and so is a member that was not restarted by the upgrade',
    given: [healthy(3), spec({ version: '3.6.17' }), patched('c', '3.6.17', '3.6.16'), down(5_000, 'c', 'd'), noQuorum],
    steps: [],
  },
]);
