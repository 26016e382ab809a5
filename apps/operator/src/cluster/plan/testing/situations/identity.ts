// SPDX-License-Identifier: Apache-2.0
import {
  addPod,
  addVolume,
  answer,
  cluster,
  down,
  healthy,
  joining,
  learner,
  neverAnswered,
  noQuorum,
  pod,
  pods,
  type Row,
  see,
  volume,
  withoutPod,
} from './vocabulary.ts';

const status = (clusterId: string, incarnation = 1) =>
  cluster((facts) => ({ ...facts, recordedInStatus: { clusterId, incarnation } }));
const annotation = (clusterId: string, incarnation = 1) =>
  cluster((facts) => ({ ...facts, recordedInAnnotation: { clusterId, incarnation } }));
const noStatus = cluster((facts) => ({ ...facts, recordedInStatus: undefined }));
const noAnnotation = cluster((facts) => ({ ...facts, recordedInAnnotation: undefined }));

/** The identity and the incarnation of a cluster: operator rules 4 and 5, safety rule 1. */
export const identity: readonly Row[] = [
  {
    name: 'all three places agree: nothing to do',
    given: [healthy(3)],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 5: status was dropped by a replace; it is repaired from the annotation',
    given: [healthy(3), noStatus],
    steps: ['recordIdentity c1/1'],
    because: 'Recording cluster ID c1, so that no other cluster is bootstrapped for this EtcdCluster.',
    situation: 'steady',
  },
  {
    name: 'operator rule 5: the annotation was taken off; it is repaired from status',
    given: [healthy(3), noAnnotation],
    steps: ['recordIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'operator rule 5: the object lost both (exported and created again); its pods still say who they are',
    given: [healthy(3), noStatus, noAnnotation],
    steps: ['recordIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'operator rule 5: the object lost both and only volumes are left: the members come back, nothing is bootstrapped',
    given: [healthy(3, { storage: 'claim' }), noStatus, noAnnotation, withoutPod('b', 'c', 'd'), noQuorum],
    steps: [
      'recordIdentity c1/1',
      'createPod b cleared 3.6.16 on its volume',
      'createPod c cleared 3.6.16 on its volume',
      'createPod d cleared 3.6.16 on its volume',
    ],
    situation: 'quorumLost',
  },
  {
    name: 'operator rule 5: repairing the recorded cluster ID never claims to know which version the cluster was bootstrapped with',
    given: [healthy(1), noStatus, noAnnotation, cluster((facts) => ({ ...facts, bootstrapVersion: undefined }))],
    steps: ['recordIdentity c1/1'],
    situation: 'steady',
  },
  {
    name: 'operator rule 5: status and annotation name different clusters: all work stops',
    given: [healthy(3), status('c2')],
    steps: [],
    because:
      'Different cluster IDs are recorded: c2 in status.clusterID, c1 in the annotation of the EtcdCluster. Nothing is changed; remove the record that is wrong.',
    situation: 'identityConflict',
  },
  {
    name: 'operator rule 5: a pod records another cluster than the object: all work stops',
    given: [healthy(3), pod('c', { clusterId: 'c9' })],
    steps: [],
    because:
      'Different cluster IDs are recorded: c1 in status.clusterID, c9 in pod/c-cccccccccc. Nothing is changed; remove the record that is wrong.',
    situation: 'identityConflict',
  },
  {
    name: 'operator rule 5: a volume records another cluster than the object: all work stops',
    given: [healthy(3, { storage: 'claim' }), volume('d', { clusterId: 'c9' })],
    steps: [],
    because:
      'Different cluster IDs are recorded: c1 in status.clusterID, c9 in pvc/c-dddddddddd. Nothing is changed; remove the record that is wrong.',
    situation: 'identityConflict',
  },
  {
    name: 'operator rule 5: the members form another cluster than is recorded: nothing is touched',
    given: [healthy(3), status('c7'), annotation('c7'), pods({ clusterId: 'c7' })],
    steps: [],
    because:
      'The members report cluster ID c1, but c7 is recorded. The operator changes nothing until both cluster IDs are the same.',
    situation: 'identityConflict',
  },
  {
    name: 'operator rule 5: an older control plane came back: pods are of a later incarnation than the object knows',
    given: [healthy(3), pods({ incarnation: 2, clusterId: 'c2' })],
    steps: [],
    because:
      'pod/c-bbbbbbbbbb records incarnation 2, but the EtcdCluster records 1. Nothing is changed; remove the record that is wrong.',
    situation: 'identityConflict',
  },
  {
    name: 'operator rule 5: the object lost its record and the pods are of the second incarnation: that one counts',
    given: [healthy(3), noStatus, noAnnotation, pods({ incarnation: 2 })],
    steps: ['recordIdentity c1/2'],
    situation: 'steady',
  },
  {
    name: 'operator rule 4: a restore has raised the incarnation: no empty cluster is bootstrapped, old pods are isolated',
    given: [healthy(3), annotation('', 2), noQuorum],
    steps: ['isolatePod b', 'isolatePod c', 'isolatePod d'],
    because:
      'A previous incarnation of this cluster is recorded. Incarnation 2 can only be created by an EtcdRestore, never as an empty cluster.',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 30: pods of a previous incarnation are removed from the Service endpoints, and nothing else is done to them',
    given: [
      healthy(3),
      status('c1', 2),
      annotation('c1', 2),
      pods({ incarnation: 2 }),
      addPod('f', { incarnation: 1, clusterId: 'c0', memberId: 'old' }),
    ],
    steps: ['isolatePod f'],
    because:
      'Isolating pod/c-ffffffffff from the Services: it belongs to previous incarnation 1; the present one is 2.',
    situation: 'steady',
  },
  {
    name: 'operator rule 30: a pod of a previous incarnation that is being deleted is left to end',
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
    name: 'operator rule 4: volumes of a previous incarnation are neither mounted nor deleted',
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
    name: 'operator rule 5: volumes of another object carry our labels: no conflict, never deleted',
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
    because:
      'All members and their data are gone. No empty cluster is created in their place; restore a backup with an EtcdRestore.',
    situation: 'quorumLost',
  },
  {
    name: 'fault 6: everything is gone but a learner that was being added and never started: data lost all the same',
    given: [healthy(3), withoutPod('b', 'c', 'd'), joining('f'), noQuorum, neverAnswered('f')],
    steps: [],
    because:
      'All members and their data are gone. No empty cluster is created in their place; restore a backup with an EtcdRestore.',
    situation: 'quorumLost',
  },
  {
    name: 'everything is gone but a learner that has answered and cannot be reached now: it may have the data',
    given: [healthy(3), withoutPod('b', 'c', 'd'), learner('f'), noQuorum, down(1_000, 'f')],
    steps: [],
    because: 'Quorum lost: the members cannot be listed',
    situation: 'quorumLost',
  },
  {
    name: 'everything is gone but a learner that answers: it may have the data',
    given: [healthy(3), withoutPod('b', 'c', 'd'), learner('f'), noQuorum, answer('f', {})],
    steps: [],
    because: 'Quorum lost: the members cannot be listed',
    situation: 'quorumLost',
  },
  {
    name: 'fault 4: a stale cache shows no pods, but the cluster ID is recorded: no seed',
    given: [healthy(5), noAnnotation, withoutPod('b', 'c', 'd', 'f', 'g'), noQuorum],
    steps: ['recordIdentity c1/1'],
    situation: 'quorumLost',
  },
  {
    name: 'a record of incarnation 0 or with no pods at all is the first incarnation',
    given: [healthy(3), status('c1', 0), down(1_000, 'd')],
    steps: ['recordIdentity c1/1'],
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
