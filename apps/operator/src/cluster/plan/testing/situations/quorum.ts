// SPDX-License-Identifier: Apache-2.0
import {
  answer,
  answers,
  type Change,
  cannotPull,
  cluster,
  container,
  healthy,
  memberFor,
  node,
  noQuorum,
  now,
  pod,
  pods,
  type Row,
  see,
  silent,
  spec,
  volume,
  withoutPod,
  withoutVolume,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const isWaiting = { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 9 } as const;

const remembered =
  (...members: readonly ReturnType<typeof memberFor>[]): Change =>
  (seen) => ({
    ...seen,
    etcd: { ...seen.etcd, membership: { kind: 'unknown', why: 'no leader', remembered: members } },
  });

/** Below quorum: safety rule 7; faults 6, 20, 21, 24; checklist 53, 57, 59, 60. */
export const quorum: readonly Row[] = [
  {
    name: '[59] fault 20: two of three are silent: nothing is changed, and the way out is said',
    given: [healthy(3), silent(5_000, 'c', 'd'), noQuorum],
    steps: [],
    because: 'restore a backup with an EtcdRestore',
    situation: 'quorumLost',
  },
  {
    name: 'fault 20: the user scales meanwhile: no membership call',
    given: [healthy(3), spec({ size: 5 }), silent(5_000, 'c', 'd'), noQuorum],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'fault 20: the user upgrades meanwhile: no pod is restarted',
    given: [healthy(3), spec({ version: '3.6.17' }), silent(5_000, 'c', 'd'), noQuorum],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'fault 20: the user changes labels or policy meanwhile: nothing',
    given: [
      healthy(3, claim),
      pods({ drift: [{ field: 'affinity', remedy: 'replace' }] }),
      silent(5_000, 'c', 'd'),
      noQuorum,
    ],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'fault 21: two of three are gone with their data: nothing automatic',
    given: [healthy(3), withoutPod('c', 'd'), answers({ leaderId: '', leaderlessSince: now - 9_000 }), noQuorum],
    steps: [],
    because: 'nothing is changed until members return',
    situation: 'quorumLost',
  },
  {
    name: '[57] all pods are gone, volumes are there: all come back as themselves, disarmed',
    given: [healthy(3, claim), withoutPod('b', 'c', 'd'), noQuorum],
    steps: [
      'createPod b disarmed 3.6.16 on its volume',
      'createPod c disarmed 3.6.16 on its volume',
      'createPod d disarmed 3.6.16 on its volume',
    ],
    because: 'comes back as the member it was',
    situation: 'quorumLost',
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
      'createPod b disarmed 3.5.35 on its volume',
      'createPod c disarmed 3.6.16 on its volume',
      'createPod d disarmed 3.5.35 on its volume',
    ],
    situation: 'quorumLost',
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
    steps: ['createPod b disarmed 3.7.3 on its volume, else 3.6.16'],
    situation: 'quorumLost',
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
    steps: ['createPod b disarmed 3.5.35 on its volume'],
    situation: 'quorumLost',
  },
  {
    name: 'pods on volumes that have ended are cleared away, so that they can come back',
    given: [healthy(3, claim), pods({ phase: 'Failed' }), silent(1_000, 'b', 'c', 'd'), noQuorum],
    steps: ['deletePod b', 'deletePod c', 'deletePod d'],
    because: 'its volume is kept',
    situation: 'quorumLost',
  },
  {
    name: 'pods without volumes that have ended are left: a person may still save something',
    given: [healthy(3), pods({ phase: 'Failed' }), silent(1_000, 'b', 'c', 'd'), noQuorum],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'a volume that is being deleted is not mounted again',
    given: [healthy(3, claim), withoutPod('c', 'd'), volume('d', { terminating: true }), noQuorum],
    steps: ['createPod c disarmed 3.6.16 on its volume'],
    situation: 'quorumLost',
  },
  {
    name: 'rule 25: pods that hang in their end on nodes that are gone are struck off; their volumes come back',
    given: [
      healthy(3, claim),
      pod('c', { terminating: true }),
      pod('d', { terminating: true }),
      silent(9_000, 'c', 'd'),
      node('c', { exists: false }),
      node('d', { exists: false }),
      noQuorum,
    ],
    steps: ['deletePod c by force', 'deletePod d by force'],
    situation: 'quorumLost',
  },
  {
    name: '[33] a missing peer Service keeps members from finding each other: it is repaired also now',
    given: [healthy(3), see({ services: { peer: 'missing', client: 'current' } }), silent(5_000, 'c', 'd'), noQuorum],
    steps: ['ensureService peer'],
    situation: 'quorumLost',
  },
  {
    name: 'rule 28: a voter that was armed by hand is disarmed also without a quorum',
    given: [healthy(3), pod('c', { boot: 'existing' }), silent(5_000, 'c', 'd'), noQuorum],
    steps: ['disarm c'],
    situation: 'quorumLost',
  },
  {
    name: 'a learner that is armed stays armed: without a quorum nobody knows whether it has started',
    given: [
      healthy(3),
      pod('d', { boot: 'existing', markedVoter: false, memberId: '', clusterId: '' }),
      silent(5_000, 'c', 'd'),
      noQuorum,
    ],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: '[66] the only member crash-loops, and a patch that cures it is asked for: it takes it in place',
    given: [healthy(1), spec({ version: '3.6.17' }), container('b', isWaiting), silent(90_000, 'b'), noQuorum],
    steps: ['setImage b 3.6.17'],
    because: 'it tries quay.io/coreos/etcd:v3.6.17',
    situation: 'quorumLost',
  },
  {
    name: '[66] another minor is not tried on a member that does not run',
    given: [healthy(1), spec({ version: '3.7.3' }), container('b', isWaiting), silent(90_000, 'b'), noQuorum],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: '[66] a version that has failed already is not tried again',
    given: [
      healthy(1),
      spec({ version: '3.6.17' }),
      cluster((facts) => ({ ...facts, failedUpgrade: { version: '3.6.17', generation: 2, message: 'x' } })),
      container('b', isWaiting),
      silent(90_000, 'b'),
      noQuorum,
    ],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: '[54] all pods on volumes cannot be scheduled, the spec is corrected: they are made anew',
    given: [
      healthy(1, claim),
      pod('b', { node: '', drift: [{ field: 'nodeSelector', remedy: 'replace' }] }),
      container('b', { ...cannotPull, reason: 'Unschedulable' }),
      silent(90_000, 'b'),
      noQuorum,
    ],
    steps: ['deletePod b'],
    because: 'nodeSelector',
    situation: 'quorumLost',
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
    situation: 'quorumLost',
  },
  {
    name: '[53] its pod was evicted before it started: it gets another',
    given: [
      healthy(2, { version: '3.4.44' }),
      pod('c', { phase: 'Failed' }),
      silent(3_000, 'c'),
      answer('b', { leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '' }),
    ],
    steps: ['deletePod c'],
    because: 'before its member started',
    situation: 'quorumLost',
  },
  {
    name: 'rule 29: a stranger that never started is not started by us, also without a quorum',
    given: [
      healthy(1, { version: '3.4.44' }),
      answers({ leaderId: '', leaderlessSince: now - 3_000 }),
      remembered(memberFor('b'), { ...memberFor('c'), name: '', podName: 'elsewhere' }),
    ],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'an election is on: a moment without a leader is no reason to touch anything',
    given: [healthy(3), answers({ leaderId: '', leaderlessSince: now - 300 }), noQuorum],
    steps: [],
    situation: 'quorumLost',
  },
  {
    name: 'fault 24: the list was read, but fewer voters than a quorum answer now: nothing is decided on it',
    given: [healthy(5), silent(1_000, 'd', 'f', 'g')],
    steps: [],
    because: 'quorum is lost: 2 of 5 voters answer and 3 are needed',
    situation: 'quorumLost',
  },
  {
    name: 'two of three are being deleted and still answer: there is a quorum, and a replacement joins',
    given: [healthy(3), pod('c', { terminating: true }), pod('d', { terminating: true })],
    steps: ['joinMember as learner 3.6.16'],
    because: 'takes the place of c-cccccccccc',
    situation: 'healing',
  },
  {
    name: 'rule 4: below quorum a volume of another cluster ID is not mounted',
    given: [healthy(3, claim), withoutPod('b', 'c', 'd'), noQuorum, answer('b', {}), volume('d', { memberId: '' })],
    steps: ['createPod b disarmed 3.6.16 on its volume', 'createPod c disarmed 3.6.16 on its volume'],
    situation: 'quorumLost',
  },
  {
    name: 'access control keeps us out: that is said, and is no loss of quorum',
    given: [
      healthy(3),
      silent(5_000, 'b', 'c', 'd'),
      see({
        etcd: {
          membership: { kind: 'unknown', why: 'user name is empty', locked: 'name a user in spec.auth.secret' },
          clusterVersion: '',
          answers: new Map(),
        },
      }),
    ],
    steps: [],
    because: 'spec.auth.secret',
    situation: 'locked',
  },
];
