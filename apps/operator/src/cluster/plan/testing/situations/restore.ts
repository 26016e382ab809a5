// SPDX-License-Identifier: Apache-2.0
import { addPod, cluster, healthy, noQuorum, pods, type Row, see } from './vocabulary.ts';

const marked = cluster((facts) => ({ ...facts, restore: { name: 'r', uid: 'r1' } }));
const paused = cluster((facts) => ({ ...facts, paused: true }));
const isolated = pods({ isolated: true });
/** Records this incarnation in the status and in the annotation of the EtcdCluster. */
const recorded = (incarnation: number) =>
  cluster((facts) => {
    const record = { clusterId: 'c1', incarnation };
    return { ...facts, recordedInStatus: record, recordedInAnnotation: record };
  });
const raised = cluster((facts) => ({ ...facts, recordedInAnnotation: { clusterId: '', incarnation: 2 } }));

/** What the etcd-operator does about a cluster with the restore annotation of an EtcdRestore, and afterwards. */
export const restore: readonly Row[] = [
  {
    name: 'operator rule 4: a marked cluster without an identity is left to its restore, whatever its members do',
    given: [healthy(3), raised, marked, noQuorum],
    steps: [],
    because: 'EtcdRestore r is in progress; reconciliation is suspended until it finishes.',
    situation: 'restoring',
  },
  {
    name: '[94] the Services of a marked cluster are kept as they should be',
    given: [healthy(3), raised, marked, see({ services: { peer: 'current', client: 'missing' } })],
    steps: ['ensureService client'],
    because: 'EtcdRestore r is in progress; reconciliation is suspended until it finishes.',
    situation: 'restoring',
  },
  {
    name: '[96] a marked cluster that is paused is left to its restore as well',
    given: [healthy(3), raised, marked, paused],
    steps: [],
    situation: 'restoring',
  },
  {
    name: 'operator rule 4: once the restored incarnation has a cluster ID, it is managed like all others, as Service endpoints',
    given: [healthy(1), recorded(2), marked, pods({ incarnation: 2, isolated: true })],
    steps: ['unisolatePod b'],
    because: 'Adding pod/c-bbbbbbbbbb to the Service endpoints again: it belongs to the present incarnation.',
    situation: 'steady',
  },
  {
    name: '[96] that it is paused counts again only when its restore is over',
    given: [healthy(1, { size: 3 }), recorded(2), marked, pods({ incarnation: 2 }), paused],
    steps: ['ensureBudget 2', 'joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 4: a restore went back: its members return behind the Services, and none is replaced',
    given: [healthy(3), isolated],
    steps: ['unisolatePod b', 'unisolatePod c', 'unisolatePod d'],
    because: 'Adding pod/c-bbbbbbbbbb to the Service endpoints again: it belongs to the present incarnation.',
    situation: 'steady',
  },
  {
    name: 'operator rule 30: members of a previous incarnation that are isolated already are left alone',
    given: [
      healthy(1),
      recorded(2),
      pods({ incarnation: 2 }),
      addPod('f', { incarnation: 1, clusterId: 'c0', memberId: 'old', isolated: true }),
    ],
    steps: [],
    situation: 'steady',
  },
];
