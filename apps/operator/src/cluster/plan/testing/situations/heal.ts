// SPDX-License-Identifier: Apache-2.0
import { blankDirectoryMessage } from '../../member-health.ts';
import {
  addVolume,
  answer,
  budget,
  container,
  down,
  healthy,
  heard,
  joining,
  learner,
  node,
  now,
  pod,
  rowsOf,
  spec,
  volume,
  withoutMember,
  withoutPod,
  withoutVolume,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const blankExit = { code: 1, reason: 'Error', message: `${blankDirectoryMessage} "c-d" in the initial cluster` };
const crash = { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 5 } as const;
const panic = { code: 2, reason: 'Error', message: 'panic' };

/** Unhealthy members in a cluster with a quorum: operator rules 1, 7, 19, 25; faults 26 to 29 and 32. */
export const heal = rowsOf('healing', [
  {
    name: 'operator rule 1: a process that runs has got past an empty directory: its volume came late, and the operator waits for it',
    given: [
      healthy(3, { storage: 'claim' }),
      down(5_000, 'd'),
      container('d', {
        startedAt: now - 5_000,
        runningSince: now - 5_000,
        restarts: 1,
        lastExit: { code: 1, reason: 'Error', message: "couldn't find local name" },
      }),
    ],
    steps: [],
    because: 'Waiting for member c-dddddddddd: etcd is opening its data.',
  },
  {
    name: '[49] operator rule 7: a pod without a volume is gone: of three, the dead voter is removed first',
    given: [healthy(3), withoutPod('d')],
    steps: ['removeMember d (dead)'],
    because: 'Replacing member c-dddddddddd: removing it, because its pod is gone and it has no volume.',
  },
  {
    name: 'operator rule 7: after that the fresh one joins as a learner',
    given: [healthy(3), withoutPod('d'), withoutMember('d')],
    steps: ['joinMember as learner 3.6.16'],
    because: 'Adding member c-qbtc55qf8k (3 of 3).',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 7: of five, the fresh one is added first',
    given: [healthy(5), withoutPod('g')],
    steps: ['joinMember as learner 3.6.16'],
    because: 'Adding member c-7bdkhk9h2t to replace c-gggggggggg, because its pod is gone and it has no volume.',
  },
  {
    name: 'operator rule 7: of five, while the fresh one joins, nothing else happens',
    given: [healthy(5), withoutPod('g'), joining('h')],
    steps: [],
    because: 'Waiting for learner c-hhhhhhhhhh: its container is waiting: ContainerCreating.',
  },
  {
    name: 'operator rule 7: of five, the fresh one votes before the dead one goes',
    given: [healthy(5), withoutPod('g'), learner('h')],
    steps: ['clearBootstrap h', 'promote h'],
  },
  {
    name: 'operator rule 7: of five, the dead one goes last',
    given: [healthy(6), spec({ size: 5 }), withoutPod('g'), budget(4)],
    steps: ['removeMember g (scale)'],
    situation: 'scalingDown',
  },
  {
    name: 'operator rule 7: etcd 3.5.29 refuses to add beside a dead voter: also of five, the dead one goes first',
    given: [healthy(5, { version: '3.5.29' }), withoutPod('g')],
    steps: ['removeMember g (dead)'],
  },
  {
    name: 'operator rule 7: a pod without a volume is being deleted and still answers: its replacement joins meanwhile',
    given: [healthy(3), pod('d', { terminating: true })],
    steps: ['joinMember as learner 3.6.16'],
    because:
      'Adding member c-7bs6ncjq77 to replace c-dddddddddd, because its pod is being deleted, and its data with it.',
  },
  {
    name: 'fault 33: a pod without a volume was deleted by force and its process goes on: nobody joins before it has ended',
    given: [healthy(3), pod('d', { terminating: true, forced: true })],
    steps: [],
    because: 'c-dddddddddd',
  },
  {
    name: 'fault 33: it has ended: it is removed before anybody joins',
    given: [healthy(3), pod('d', { terminating: true, forced: true }), down(1_000, 'd')],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'operator rule 7: the replacement votes while the leaving one is still there',
    given: [healthy(3), pod('d', { terminating: true }), learner('f')],
    steps: ['clearBootstrap f', 'promote f'],
  },
  {
    name: 'operator rule 14: the leaving one led the cluster: leadership moves before it is removed',
    given: [healthy(4), spec({ size: 3 }), pod('b', { terminating: true }), budget(3)],
    steps: ['moveLeader b to c'],
    because: 'Moving leadership to member c-cccccccccc: the current leader c-bbbbbbbbbb is about to be removed.',
    situation: 'scalingDown',
  },
  {
    name: 'a single member without a volume is being deleted: its data is saved to another while it answers',
    given: [healthy(1), pod('b', { terminating: true })],
    steps: ['joinMember as learner 3.6.16'],
  },
  {
    name: '[58] fault 26: a pod on a volume is gone: the same member comes back, no member is added or removed',
    given: [healthy(3, claim), withoutPod('d')],
    steps: ['createPod d cleared 3.6.16 on its volume'],
    because: 'Creating pod/c-dddddddddd on its existing volume.',
  },
  {
    name: 'two pods on volumes are gone of five: both come back at once',
    given: [healthy(5, claim), withoutPod('f', 'g')],
    steps: ['createPod f cleared 3.6.16 on its volume', 'createPod g cleared 3.6.16 on its volume'],
  },
  {
    name: 'a pod on a volume has ended: it is cleared away, the volume is kept',
    given: [healthy(3, claim), pod('d', { phase: 'Failed' }), down(1_000, 'd')],
    steps: ['deletePod d'],
    because: 'Recreating pod/c-dddddddddd on its volume: it stopped (Failed).',
  },
  {
    name: 'a pod on a volume is being deleted: the operator waits for its end',
    given: [healthy(3, claim), pod('d', { terminating: true }), down(1_000, 'd')],
    steps: [],
    because:
      'Member c-dddddddddd will be restarted on its volume when its pod, which is Terminating, has been deleted. The member will be replaced if this lasts 120 s (spec.pod.replaceAfter).',
  },
  {
    name: 'a volume whose member is not on record is tried: a pod without bootstrap configuration tells what is on it',
    given: [healthy(3, claim), withoutPod('d'), volume('d', { memberId: '', clusterId: '' })],
    steps: ['createPod d cleared 3.6.16 on its volume'],
  },
  {
    name: 'fault 27: pod and volume are gone: the member is replaced by a fresh one',
    given: [healthy(3, claim), withoutPod('d'), withoutVolume('d')],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'the volume is being deleted and the pod is gone: its data is lost',
    given: [healthy(3, claim), withoutPod('d'), volume('d', { terminating: true })],
    steps: ['removeMember d (dead)'],
    because: 'is being deleted',
  },
  {
    name: 'what the volume claim was bound to is lost: its data is lost',
    given: [healthy(3, claim), withoutPod('d'), volume('d', { phase: 'Lost' })],
    steps: ['removeMember d (dead)'],
    because: 'Replacing member c-dddddddddd: removing it, because the volume of pvc/c-dddddddddd is lost.',
  },
  {
    name: 'operator rule 1: a pod without bootstrap configuration found its directory empty (machine re-imaged, same pod): never the same ID again',
    given: [healthy(3), container('d', { ...crash, lastExit: blankExit }), down(3_000, 'd')],
    steps: ['removeMember d (dead)'],
    because: 'found its data directory empty',
  },
  {
    name: 'operator rule 1: the same message from a learner with bootstrap configuration proves nothing: the operator waits for it',
    given: [healthy(3), spec({ size: 4 }), joining('f'), container('f', { lastExit: blankExit }), budget(3)],
    steps: [],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 1: many restarts of a pod that answers say nothing about its data',
    given: [healthy(3), container('d', { restarts: 40, lastExit: blankExit })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 19: a pod that Kubernetes calls Pending or Unknown and that answers is alive',
    given: [healthy(3), pod('c', { phase: 'Pending' }), pod('d', { phase: 'Unknown', ready: false })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 1: a PVC was recreated under the same name for another member: data lost',
    given: [healthy(3, claim), withoutPod('d'), volume('d', { memberId: 'id-other' })],
    steps: ['removeMember d (dead)'],
    because: 'does not hold the data of member id-d',
  },
  {
    name: 'the PVC of an unreachable pod is gone: data lost',
    given: [healthy(3, claim), withoutVolume('d'), down(1_000, 'd')],
    steps: ['removeMember d (dead)'],
    because: 'Replacing member c-dddddddddd: removing it, because pvc/c-dddddddddd is gone.',
  },
  {
    name: 'the volume claim of a pod that answers is gone: it serves as long as it runs',
    given: [healthy(3, claim), withoutVolume('d')],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'fault 28: a pod answers as another member (swapped volumes): it is replaced, its volume is kept meanwhile',
    given: [healthy(3, claim), answer('d', { memberId: 'id-x' }), heard('b', 'c')],
    steps: ['removeMember d (dead)'],
    because: 'answers as another member',
  },
  {
    name: 'fault 28: a pod answers as a member of another cluster: it is replaced',
    given: [healthy(3), answer('d', { clusterId: 'c9' }), heard('b', 'c')],
    steps: ['removeMember d (dead)'],
    because: 'another cluster (c9)',
  },
  {
    name: '[55] a member that crash-loops is replaced after a minute, if the others are a quorum',
    given: [healthy(3), container('d', { ...crash, lastExit: panic }), down(61_000, 'd')],
    steps: ['removeMember d (dead)'],
  },
  {
    name: '[55] not before the minute is over',
    given: [healthy(3), container('d', { ...crash, lastExit: panic }), down(40_000, 'd')],
    steps: [],
    because: 'CrashLoopBackOff',
  },
  {
    name: 'fault 29: killed for lack of memory is no corruption: it is reported, and not replaced',
    given: [
      healthy(3),
      container('d', { ...crash, lastExit: { code: 137, reason: 'OOMKilled', message: '' } }),
      down(900_000, 'd'),
    ],
    steps: [],
    because: 'Member c-dddddddddd is OOMKilled repeatedly. Raise spec.pod.resources.limits.memory.',
  },
  {
    name: '[56] the operator waits for a member that it cannot reach as long as the spec says',
    given: [healthy(3), down(100_000, 'd')],
    steps: [],
    because:
      'Member c-dddddddddd is not reachable from the operator (connection refused). The member will be replaced if this lasts 120 s (spec.pod.replaceAfter).',
  },
  {
    name: '[56] and then replaced',
    given: [healthy(3), down(120_000, 'd')],
    steps: ['removeMember d (dead)'],
    because: 'connection refused',
  },
  {
    name: '[56] the delay is configurable',
    given: [healthy(3, { replaceAfter: 600_000 }), down(500_000, 'd')],
    steps: [],
    because:
      'Member c-dddddddddd is not reachable from the operator (connection refused). The member will be replaced if this lasts 600 s (spec.pod.replaceAfter).',
  },
  {
    name: 'a new pod is starting, not unreachable',
    given: [healthy(3), pod('d', { createdAt: now - 10_000, seenSince: now - 10_000 }), down(10_000, 'd')],
    steps: [],
    because: 'Waiting for member c-dddddddddd to start: its pod is starting.',
  },
  {
    name: 'a member that has just lost its leader is not replaced, however long it has answered',
    given: [healthy(3), answer('d', { leaderId: '', leaderlessSince: now - 800 })],
    steps: [],
    because: 'Member c-dddddddddd is reachable and has no leader.',
  },
  {
    name: 'a member that has been without a leader for long is cut off, and replaced',
    given: [healthy(3), answer('d', { leaderId: '', leaderlessSince: now - 130_000 }), pod('d', { ready: false })],
    steps: ['removeMember d (dead)'],
    because: 'reachable, no leader',
  },
  {
    name: 'operator rule 25: a node is lost with its volume: after the delay a fresh member on a new volume takes its place',
    given: [healthy(3, claim), down(130_000, 'd'), node('d', { ready: false })],
    steps: ['removeMember d (dead)'],
  },
  {
    name: 'operator rule 25: the volume of the replaced member is kept until its successor votes',
    given: [healthy(3, claim), withoutMember('d'), withoutPod('d')],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 25: then it is dropped',
    given: [healthy(3, claim), addVolume('f')],
    steps: ['deleteVolume f'],
    because: 'Deleting pvc/c-ffffffffff: its member is no longer in the cluster.',
    situation: 'steady',
  },
  {
    name: 'fault 32: a pod on a volume hangs in its end on a dead node: after the delay the member is replaced',
    given: [healthy(3, claim), pod('d', { terminating: true }), down(130_000, 'd'), node('d', { ready: false })],
    steps: ['removeMember d (dead)'],
    because: 'is stuck terminating',
  },
  {
    name: 'operator rule 25: the node is gone for good: the pod is deleted by force, and its member comes back on its volume',
    given: [healthy(3, claim), pod('d', { terminating: true }), down(5_000, 'd'), node('d', { exists: false })],
    steps: ['deletePod d by force'],
    because: 'is gone',
  },
  {
    name: 'operator rule 25: the node is declared out of service: the same',
    given: [
      healthy(3, claim),
      pod('d', { terminating: true }),
      down(5_000, 'd'),
      node('d', { ready: false, outOfService: true }),
    ],
    steps: ['deletePod d by force'],
  },
  {
    name: 'operator rule 25: a pod on a node that is merely not ready is never deleted by force',
    given: [healthy(3, claim), pod('d', { terminating: true }), down(5_000, 'd'), node('d', { ready: false })],
    steps: [],
  },
  {
    name: '[44] two dead of five: one change at a time',
    given: [healthy(5), withoutPod('f', 'g')],
    steps: ['removeMember f (dead)'],
  },
  {
    name: '[44] a dead one and one that starts: the dead one is replaced if the others are a quorum without both',
    given: [healthy(5), withoutPod('g'), down(1_000, 'f')],
    steps: ['removeMember g (dead)'],
  },
  {
    name: 'safety rule 5: the dead one stays listed while the others would not be a quorum of the rest',
    given: [healthy(4), withoutPod('g'), pod('d', { terminating: true }), withoutPod('f')],
    steps: ['joinMember as learner 3.6.16'],
    because:
      'Adding member c-bdwqvthqwr to replace c-dddddddddd, because its pod is being deleted, and its data with it.',
  },
  {
    name: 'a lost learner is taken out; it never counted',
    given: [healthy(3), learner('f'), withoutPod('f')],
    steps: ['removeMember f (scale)'],
    situation: 'scalingDown',
  },
  {
    name: 'fault 31: NOSPACE of a member that is not in the cluster, as in the data of a backup, is disarmed',
    given: [healthy(3), answer('b', { alarms: ['memberID:255 alarm:NOSPACE '] })],
    steps: ['disarmAlarm NOSPACE of ff'],
    because:
      'NOSPACE was raised for member ff, which is not in the cluster: the alarm is disarmed. If a database is full, etcd raises it again.',
  },
  {
    name: 'fault 31: NOSPACE without a member is left to the user',
    given: [healthy(3), answer('b', { alarms: ['memberID:0 alarm:NOSPACE '] })],
    steps: [],
    situation: 'steady',
  },
]);
