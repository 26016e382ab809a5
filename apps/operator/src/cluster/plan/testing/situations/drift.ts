// SPDX-License-Identifier: Apache-2.0
import {
  answer,
  answers,
  budget,
  down,
  healthy,
  idOf,
  learner,
  node,
  pod,
  pods,
  rowsOf,
  spec,
  withoutPod,
} from './vocabulary.ts';

const claim = { storage: 'claim' } as const;
const replace = { drift: [{ field: 'affinity', remedy: 'replace' }] } as const;
const restart = { drift: [{ field: 'etcdEnv', remedy: 'replace' }] } as const;
const asked = { updatePolicy: 'Replace' } as const;

/** Spec changes other than size and version, by how they are applied: operator rules 7, 10, 26. */
export const drift = rowsOf('updating', [
  {
    name: '[65] operator rule 7: labels and annotations are changed in place, on all at once',
    given: [healthy(3), pods({ drift: [{ field: 'labels', remedy: 'inPlace' }] })],
    steps: ['updatePod b', 'updatePod c', 'updatePod d'],
    because: 'Updating labels of pod/c-bbbbbbbbbb to the spec.',
  },
  {
    name: 'operator rule 7: resources are changed without a restart where the quality of service stays',
    given: [healthy(3), pod('c', { drift: [{ field: 'resources', remedy: 'resize' }] })],
    steps: ['resizePod c'],
    because: 'without a restart',
  },
  {
    name: 'operator rule 7: both on one pod',
    given: [
      healthy(3),
      pod('c', {
        drift: [
          { field: 'annotations', remedy: 'inPlace' },
          { field: 'resources', remedy: 'resize' },
        ],
      }),
    ],
    steps: ['updatePod c', 'resizePod c'],
  },
  {
    name: 'a sidecar that does not work keeps the next pod from getting it, too',
    given: [
      healthy(3, claim),
      pods(replace),
      pod('d', { ready: false, brokenSidecar: 'logger (CrashLoopBackOff)', drift: [] }),
    ],
    steps: [],
    because:
      'Cannot recreate pod/c-cccccccccc yet: pod/c-dddddddddd is not Ready because of its container logger (CrashLoopBackOff).',
  },
  {
    name: 'pods whose sidecars do not work get the corrected ones first, the leader among them',
    given: [healthy(3, claim), pods(replace), pod('b', { ready: false, brokenSidecar: 'logger (Error)' })],
    steps: ['moveLeader b to c'],
  },
  {
    name: 'sidecars of all pods that do not work are no dead end',
    given: [healthy(3, claim), pods({ ...replace, ready: false, brokenSidecar: 'logger (Error)' })],
    steps: ['deletePod c'],
  },
  {
    name: 'without volumes a replaced member whose sidecar does not work is the last one',
    given: [
      healthy(3),
      spec(asked),
      pods(replace),
      pod('d', { ready: false, brokenSidecar: 'logger (Error)', drift: [] }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: '[65] operator rule 7: with volumes, pods are recreated one by one, not the leader first',
    given: [healthy(3, claim), pods(replace)],
    steps: ['deletePod c'],
    because: 'Recreating pod/c-cccccccccc on its volume: affinity changed in the spec. Remaining pods: 2.',
  },
  {
    name: '[65] the next waits until the one before is back',
    given: [healthy(3, claim), pods(replace), pod('c', { drift: [] }), down(2_000, 'c')],
    steps: [],
    because: 'is not reachable from the operator',
    situation: 'healing',
  },
  {
    name: '[65] the leader is last, and hands over first',
    given: [healthy(3, claim), pod('b', replace)],
    steps: ['moveLeader b to c'],
    because: 'gets a new pod',
  },
  {
    name: '[65] then it is recreated too',
    given: [healthy(3, claim), pod('b', replace), answers({ leaderId: idOf('d') })],
    steps: ['deletePod b'],
  },
  {
    name: 'fault 35: a cordoned node holds this up as well',
    given: [healthy(3, claim), pods(replace), node('d', { schedulable: false })],
    steps: [],
    because: 'cordoned',
  },
  {
    name: 'fault 31: an alarm holds this up as well',
    given: [healthy(3, claim), pods(replace), answer('b', { alarms: ['alarm:NOSPACE'] })],
    steps: [],
    because: 'NOSPACE',
  },
  {
    name: 'operator rule 7: etcd options on a volume: one restart each',
    given: [healthy(3, claim), pods(restart)],
    steps: ['deletePod c'],
    because: 'etcdEnv',
  },
  {
    name: 'operator rule 7: without volumes nothing is thrown away unless it is asked for',
    given: [healthy(3), pods(replace)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 7: asked for, it is a replacement: a new member joins first',
    given: [healthy(3, asked), pods(replace)],
    steps: ['joinMember as learner 3.6.16'],
    because: 'Adding member c-7bs6ncjq77 (4 of 4).',
  },
  {
    name: 'operator rule 7: the fresh one votes',
    given: [healthy(3, asked), pods(replace), learner('f')],
    steps: ['clearBootstrap f', 'promote f'],
  },
  {
    name: 'operator rule 7: then an old one goes, not the fresh one and not the leader',
    given: [healthy(4, asked), spec({ size: 3 }), budget(3), pods(replace), pod('f', { drift: [] })],
    steps: ['removeMember c (scale)'],
  },
  {
    name: 'operator rule 7: the same for options that take a restart: the fresh one stays, an old one goes',
    given: [healthy(4, asked), spec({ size: 3 }), budget(3), pods(restart), pod('f', { drift: [] })],
    steps: ['removeMember c (scale)'],
  },
  {
    name: 'operator rule 7: only the leader is left to be replaced: leadership moves off it',
    given: [healthy(4, asked), spec({ size: 3 }), budget(3), pod('b', replace)],
    steps: ['moveLeader b to c'],
  },
  {
    name: 'a cluster of one is replaced by adding first',
    given: [healthy(1, asked), pods(replace)],
    steps: ['joinMember as learner 3.6.16'],
  },
  {
    name: 'operator rule 7: from emptyDir to volumes, when it is asked for: members are replaced',
    given: [healthy(3, asked), spec(claim)],
    steps: ['joinMember as learner 3.6.16'],
  },
  {
    name: 'operator rule 7: from emptyDir to volumes without asking: kept as they are',
    given: [healthy(3), spec(claim)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'from volumes to emptyDir, asked for: members are replaced too, never a new pod on an empty directory',
    given: [healthy(3, { ...asked, ...claim }), spec({ storage: 'emptyDir' })],
    steps: ['joinMember as learner 3.6.16'],
  },
  {
    name: 'fault 31: no member is replaced while an alarm is raised',
    given: [healthy(3, asked), pods(replace), answer('b', { alarms: ['alarm:NOSPACE'] })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'a member that dies during a rolling update is replaced by the one that joins',
    given: [healthy(3, asked), pods(replace), learner('f'), withoutPod('d')],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
]);
