// SPDX-License-Identifier: Apache-2.0
import {
  addPod,
  addVolume,
  cluster,
  healthy,
  noQuorum,
  pod,
  pods,
  type Row,
  see,
  silent,
  volume,
  withoutPod,
} from './vocabulary.ts';

const status = (clusterId: string, incarnation = 1) =>
  cluster((facts) => ({ ...facts, latchedInStatus: { clusterId, incarnation } }));
const annotation = (clusterId: string, incarnation = 1) =>
  cluster((facts) => ({ ...facts, latchedInAnnotation: { clusterId, incarnation } }));
const noStatus = cluster((facts) => ({ ...facts, latchedInStatus: undefined }));
const noAnnotation = cluster((facts) => ({ ...facts, latchedInAnnotation: undefined }));

/** Which life of which cluster this is: rules 4 and 5, safety rule 1. */
export const identity: readonly Row[] = [
  {
    name: 'all three places agree: nothing to do',
    given: [healthy(3)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 5: status was dropped by a replace; it is repaired from the annotation',
    given: [healthy(3), noStatus],
    steps: ['latchIdentity c1/1'],
    because: 'no other can ever be founded',
    situation: 'steady',
  },
  {
    name: 'rule 5: the annotation was taken off; it is repaired from status',
    given: [healthy(3), noAnnotation],
    steps: ['latchIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'rule 5: the object lost both (exported and created again); its pods still say who they are',
    given: [healthy(3), noStatus, noAnnotation],
    steps: ['latchIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'rule 5: the object lost both and only volumes are left: the members come back, nothing is founded',
    given: [healthy(3, { storage: 'claim' }), noStatus, noAnnotation, withoutPod('b', 'c', 'd'), noQuorum],
    steps: [
      'latchIdentity c1/1',
      'createPod b disarmed 3.6.16 on its volume',
      'createPod c disarmed 3.6.16 on its volume',
      'createPod d disarmed 3.6.16 on its volume',
    ],
    situation: 'quorumLost',
  },
  {
    name: 'rule 5: repairing the latch never claims to know which version the cluster was born on',
    given: [healthy(1), noStatus, noAnnotation, cluster((facts) => ({ ...facts, bornVersion: undefined }))],
    steps: ['latchIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'rule 5: status and annotation name different clusters: all work stops',
    given: [healthy(3), status('c2')],
    steps: [],
    because: 'different etcd cluster IDs are recorded',
    situation: 'identityConflict',
  },
  {
    name: 'rule 5: a pod records another cluster than the object: all work stops',
    given: [healthy(3), pod('c', { clusterId: 'c9' })],
    steps: [],
    because: 'c9 in pod c-cccccccccc',
    situation: 'identityConflict',
  },
  {
    name: 'rule 5: a volume records another cluster than the object: all work stops',
    given: [healthy(3, { storage: 'claim' }), volume('d', { clusterId: 'c9' })],
    steps: [],
    because: 'c9 in volume c-dddddddddd',
    situation: 'identityConflict',
  },
  {
    name: 'rule 5: the members form another cluster than is recorded: nothing is touched',
    given: [healthy(3), status('c7'), annotation('c7'), pods({ clusterId: 'c7' })],
    steps: [],
    because: 'the members form cluster c1, but c7 is recorded',
    situation: 'identityConflict',
  },
  {
    name: 'rule 5: an older control plane came back: pods are of a later life than the object knows',
    given: [healthy(3), pods({ incarnation: 2, clusterId: 'c2' })],
    steps: [],
    because: 'belongs to incarnation 2, but only 1 is recorded',
    situation: 'identityConflict',
  },
  {
    name: 'rule 5: the object lost its record and the pods are of the second life: that one counts',
    given: [healthy(3), noStatus, noAnnotation, pods({ incarnation: 2 })],
    steps: ['latchIdentity c1/2'],
    situation: 'steady',
  },
  {
    name: 'rule 4: a restore has raised the incarnation: nothing is founded empty, old pods are fenced',
    given: [healthy(3), annotation('', 2), noQuorum],
    steps: ['fencePod b', 'fencePod c', 'fencePod d'],
    because: 'only an EtcdRestore bootstraps incarnation 2, never empty',
    situation: 'bootstrapping',
  },
  {
    name: 'rule 30: pods of an earlier life are taken from behind the Services, and nothing else is done to them',
    given: [
      healthy(3),
      status('c1', 2),
      annotation('c1', 2),
      pods({ incarnation: 2 }),
      addPod('f', { incarnation: 1, clusterId: 'c0', memberId: 'old' }),
    ],
    steps: ['fencePod f'],
    because: 'incarnation 2 takes its place',
    situation: 'steady',
  },
  {
    name: 'rule 30: a pod of an earlier life that is being deleted is left to end',
    given: [
      healthy(3),
      status('c1', 2),
      annotation('c1', 2),
      pods({ incarnation: 2 }),
      addPod('f', { incarnation: 1, clusterId: 'c0', terminating: true }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 4: volumes of an earlier life are neither mounted nor deleted',
    given: [
      healthy(3, { storage: 'claim' }),
      status('c1', 2),
      annotation('c1', 2),
      pods({ incarnation: 2 }),
      volume('b', { incarnation: 2 }),
      volume('c', { incarnation: 2 }),
      volume('d', { incarnation: 2 }),
      addVolume('f', { incarnation: 1, clusterId: 'c0' }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 5: volumes of another object carry our labels: no conflict, never deleted',
    given: [healthy(3, { storage: 'claim' }), addVolume('f', { ownership: 'other', clusterId: 'c9' })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'a pod of another object with our labels has no say in who we are',
    given: [healthy(3), addPod('f', { ownership: 'other', clusterId: 'c9', incarnation: 7 })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'fault 6: everything is gone but the record: data lost, and no new cluster by itself',
    given: [healthy(3), withoutPod('b', 'c', 'd'), noQuorum],
    steps: [],
    because: 'nothing is founded in their place',
    situation: 'quorumLost',
  },
  {
    name: 'fault 4: a stale cache shows no pods, but the latch is there: no seed',
    given: [healthy(5), noAnnotation, withoutPod('b', 'c', 'd', 'f', 'g'), noQuorum],
    steps: ['latchIdentity c1/1'],
    situation: 'quorumLost',
  },
  {
    name: 'a record of incarnation 0 or with no pods at all is the first life',
    given: [healthy(3), status('c1', 0), silent(1_000, 'd')],
    steps: ['latchIdentity c1/1'],
    because: 'is not reachable from the operator',
    situation: 'healing',
  },
  {
    name: 'the place where secrets or Services are missing changes nothing about identity',
    given: [healthy(3), see({ secretProblems: ['secret x is missing'] })],
    steps: [],
    situation: 'steady',
  },
];
