// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../../desired.ts';
import type { RecoveryFacts } from '../../../observation.ts';
import {
  answer,
  type Change,
  cluster,
  down,
  healthy,
  idOf,
  type Letter,
  memberFor,
  node,
  nodeOf,
  now,
  pod,
  podName,
  pods,
  rowsOf,
  see,
  spec,
  withoutPod,
  withoutVolume,
} from '../../testing/situations/vocabulary.ts';

const three: readonly Letter[] = ['b', 'c', 'd'];
const minutes = (count: number) => now - count * 60_000;

/** The members in the last reported status, with the nodes on which they ran. */
const reported = (...letters: readonly Letter[]): Change =>
  cluster((facts) => ({
    ...facts,
    lastMembers: letters.map((letter) => ({
      name: podName(letter),
      id: idOf(letter),
      isLearner: false,
      node: nodeOf(letter),
    })),
  }));

/** There has been no quorum since `since`, and `b` remembers the member list. */
const lostSince =
  (since: number, letters: readonly Letter[] = three): Change =>
  (seen) => {
    const quiet = answer('b', { leaderId: '', leaderlessSince: since })(pods({ ready: false })(seen));
    const remembered = letters.map((letter) => memberFor(letter));
    const why = 'no reachable member has a leader';
    return { ...quiet, etcd: { ...quiet.etcd, membership: { kind: 'unknown', why, since, remembered } } };
  };

const begun = (recovery: RecoveryFacts): Change => see({ recovery });
/** No quorum for an hour, and no recovery has begun. */
const longLost = [begun({ kind: 'none' }), lostSince(minutes(60))] as const;

/** Two of three members and their volumes were lost eleven minutes ago; their nodes report. */
function lost(quorumLoss: Desired['quorumLoss'], storage: Desired['storage'] = 'claim'): readonly Change[] {
  return [
    healthy(3, { storage, quorumLoss, recoverAfter: 600_000 }),
    reported(...three),
    withoutPod('c', 'd'),
    withoutVolume('c', 'd'),
    begun({ kind: 'none' }),
    lostSince(minutes(11)),
  ];
}

const recovery = 'recoverQuorum c-recovery-c1 without c, d';
const held = 'This step is held back, because ';

/** A majority is permanently lost: safety rules 7, 13 and 14; faults 21 and 22. */
export const recoveries = rowsOf('quorumLost', [
  {
    name: 'recovery: two of three are lost with their volumes, and the policy is Automatic: recovered once, from the one that is left',
    given: lost('Automatic'),
    steps: [recovery],
    because:
      'Recovering from member c-bbbbbbbbbb with EtcdRestore c-recovery-c1: pod and volume of member c-cccccccccc are deleted, and its node node-c reports',
  },
  {
    name: 'recovery: Manual says from whom, what would be lost, and the command',
    given: lost('Manual'),
    steps: [],
    because:
      'Permanently lost: members c-cccccccccc and c-dddddddddd. To recover from member c-bbbbbbbbbb (revision 100), run kubectl etcd recover c --yes. Acknowledged writes that only members c-cccccccccc and c-dddddddddd had received would be lost.',
  },
  {
    name: 'recovery: Never says that a backup is the way',
    given: lost('Never'),
    steps: [],
    because: 'spec.recovery.quorumLoss is Never: restore a backup',
  },
  {
    name: 'recovery: also of members without volumes',
    given: lost('Automatic', 'emptyDir'),
    steps: [recovery],
  },
  {
    name: 'recovery: not before the stated time is over, and the status says how long it is',
    given: [...lost('Automatic'), lostSince(minutes(9))],
    steps: [],
    because: 'After 600 s without a quorum the operator recovers from member c-bbbbbbbbbb (revision 100).',
  },
  {
    name: 'recovery: the member itself must have been without a leader for as long',
    given: [...lost('Automatic'), answer('b', { leaderId: '', leaderlessSince: minutes(1) })],
    steps: [],
    because: `${held}the recovery begins only after 600 s without a quorum`,
  },
  {
    name: 'recovery: it is unknown since when there is no quorum: not at all',
    given: [
      ...lost('Automatic'),
      (seen) => ({
        ...seen,
        etcd: { ...seen.etcd, membership: { kind: 'unknown', why: 'x', remembered: three.map(memberFor) } },
      }),
    ],
    steps: [],
  },
  {
    name: 'recovery: the volume of one of them is still there: its pod is created again, and nothing else',
    given: [
      healthy(3, { storage: 'claim', quorumLoss: 'Automatic' }),
      reported(...three),
      withoutPod('c', 'd'),
      withoutVolume('d'),
      ...longLost,
    ],
    steps: ['createPod c cleared 3.6.16 on its volume'],
  },
  {
    name: 'recovery: one of them has its pod on its volume, and does not answer: it may come back',
    given: [
      healthy(3, { storage: 'claim', quorumLoss: 'Automatic' }),
      reported(...three),
      withoutPod('d'),
      withoutVolume('d'),
      down(3_600_000, 'c'),
      ...longLost,
    ],
    steps: [],
    because: `${held}pvc/c-cccccccccc still exists and 2 of 3 voters may remain, which is enough for a quorum (2 needed)`,
  },
  {
    name: 'recovery: a node only does not report: its member may still run there',
    given: [
      healthy(3, { quorumLoss: 'Automatic' }),
      reported(...three),
      withoutPod('d'),
      down(3_600_000, 'c'),
      node('c', { ready: false }),
      ...longLost,
    ],
    steps: [],
    because: 'node node-c does not report and may still run pod/c-cccccccccc',
  },
  {
    name: 'recovery: a pod was deleted by force from a node that does not report: its member may still run there',
    given: [...lost('Automatic'), node('c', { ready: false })],
    steps: [],
    because: 'node node-c does not report and may still run member c-cccccccccc',
  },
  {
    name: 'recovery: that node is deleted, or tainted out-of-service: its member cannot run any more',
    given: [
      ...lost('Automatic'),
      node('c', { exists: false, ready: false }),
      node('d', { ready: false, outOfService: true }),
    ],
    steps: [recovery],
    because: 'its node node-d is gone or out of service',
  },
  {
    name: 'recovery: pods without volumes on nodes that are deleted or out of service are gone with their data',
    given: [
      healthy(3, { quorumLoss: 'Automatic' }),
      reported(...three),
      down(3_600_000, 'c', 'd'),
      node('c', { exists: false, ready: false }),
      node('d', { ready: false, outOfService: true }),
      ...longLost,
    ],
    steps: [recovery],
  },
  {
    name: 'recovery: nodes cannot be read: it is unknown which members are gone',
    given: [...lost('Automatic'), see({ nodes: new Map() })],
    steps: [],
    because: 'it is not known whether node node-c, which ran member c-cccccccccc, still exists',
  },
  {
    name: 'recovery: it is not on record which node ran them: it is unknown which members are gone',
    given: [...lost('Automatic'), reported('b')],
    steps: [],
    because: 'it is not known which node ran member c-cccccccccc',
  },
  {
    name: 'recovery: the one that is left does not know of the newest voter, whose pod is there: not without that',
    given: [
      healthy(4, { quorumLoss: 'Automatic' }),
      reported(...three, 'f'),
      withoutPod('c', 'd'),
      down(3_600_000, 'f'),
      ...longLost,
    ],
    steps: [],
    because: 'pod/c-ffffffffff still exists',
  },
  {
    name: 'recovery: no member is reachable: it is unknown which members are missing',
    given: [
      healthy(3, { quorumLoss: 'Automatic' }),
      reported(...three),
      withoutPod('c', 'd'),
      down(3_600_000, 'b'),
      begun({ kind: 'none' }),
      lostSince(minutes(60), []),
      down(3_600_000, 'b'),
    ],
    steps: [],
  },
  {
    name: 'recovery: the pods that are left are Ready, whatever the operator sees: nothing is done',
    given: [...lost('Automatic'), pod('b', { ready: true })],
    steps: [],
    because: 'pod/c-bbbbbbbbbb is Ready',
  },
  {
    name: 'recovery: CORRUPT is raised: which data is right is never decided automatically',
    given: [
      ...lost('Automatic'),
      answer('b', { leaderId: '', leaderlessSince: minutes(11), alarms: ['alarm:CORRUPT '] }),
    ],
    steps: [],
    because: 'etcd has raised CORRUPT',
  },
  {
    name: 'recovery: it was begun: not again, and the status says by what',
    given: [...lost('Automatic'), begun({ kind: 'begun', phase: 'SavingPresent', reason: 'node n may still run it' })],
    steps: [],
    because:
      'EtcdRestore c-recovery-c1 recovers the cluster from the remaining members (SavingPresent). The EtcdRestore waits: node n may still run it.',
  },
  {
    name: 'recovery: it was begun and has failed: not again, and the status says why and what to do',
    given: [...lost('Automatic'), begun({ kind: 'begun', phase: 'Failed', reason: 'its log is damaged' })],
    steps: [],
    because:
      'Automatic recovery failed and is not repeated: its log is damaged. Run kubectl etcd recover c, or delete EtcdRestore c-recovery-c1 to repeat the automatic recovery.',
  },
  {
    name: 'recovery: it is not known whether it was begun',
    given: [...lost('Automatic'), begun({ kind: 'unknown', why: 'forbidden' })],
    steps: [],
    because: 'it is not known whether the recovery was begun before',
  },
  {
    name: 'recovery: reconciliation is paused: nothing',
    given: [...lost('Automatic'), cluster((facts) => ({ ...facts, paused: true }))],
    steps: [],
    situation: 'paused',
  },
  {
    name: 'recovery: three of five are left, and only have no leader at the moment: an election is no loss',
    given: [
      healthy(5, { quorumLoss: 'Automatic' }),
      spec({}),
      reported('b', 'c', 'd', 'f', 'g'),
      withoutPod('f', 'g'),
      begun({ kind: 'none' }),
      lostSince(minutes(60), ['b', 'c', 'd', 'f', 'g']),
      answer('c', { leaderId: '', leaderlessSince: minutes(60) }),
      answer('d', { leaderId: '', leaderlessSince: minutes(60) }),
    ],
    steps: [],
    because: '3 of 5 voters may remain, which is enough for a quorum (3 needed)',
  },
  {
    name: 'recovery: two of five are left: the EtcdRestore compares their logs',
    given: [
      healthy(5, { storage: 'claim', quorumLoss: 'Automatic' }),
      reported('b', 'c', 'd', 'f', 'g'),
      withoutPod('d', 'f', 'g'),
      withoutVolume('d', 'f', 'g'),
      begun({ kind: 'none' }),
      lostSince(minutes(60), ['b', 'c', 'd', 'f', 'g']),
      answer('c', { leaderId: '', leaderlessSince: minutes(60) }),
    ],
    steps: ['recoverQuorum c-recovery-c1 without d, f, g'],
    because: 'Recovering from members c-bbbbbbbbbb and c-cccccccccc',
  },
]);
