// SPDX-License-Identifier: Apache-2.0
import { seedName } from '../../../../identity/member-naming.ts';
import {
  addPod,
  addVolume,
  answer,
  answers,
  budget,
  type Change,
  cannotPull,
  closed,
  cluster,
  container,
  healthy,
  idOf,
  joining,
  justMade,
  learner,
  nothing,
  now,
  pod,
  podName,
  type Row,
  see,
  statusOf,
  wantedBy,
} from './vocabulary.ts';

const empty =
  (desired: Parameters<typeof nothing>[0] = {}): Change =>
  () =>
    nothing(desired);

const seed = seedName('c', 'uid-1', 1);

/** Replaces the pod `b` with the seed's pod. */
const withSeed =
  (...changes: readonly Change[]): Change =>
  (observation) => {
    const blank = { boot: 'new', markedVoter: false, clusterId: '', memberId: '' } as const;
    const made = [addPod('b', { ...blank, ...justMade }), ...changes].reduce((seen, step) => step(seen), observation);
    const renamed = made.pods.map((item) => (item.name === podName('b') ? { ...item, name: seed } : item));
    const known = made.etcd.answers.get(podName('b'));
    const etcd = { ...made.etcd, answers: known ? new Map([[seed, known]]) : made.etcd.answers };
    return { ...made, pods: renamed, etcd };
  };

/** The etcd at the address of the seed lists the seed as a member. */
const listsItself: Change = (seen) => ({
  ...seen,
  etcd: {
    ...seen.etcd,
    membership: {
      kind: 'known',
      clusterId: 'c1',
      members: [{ id: idOf('b'), name: seed, podName: seed, peerURLs: [], isLearner: false, seenSince: now }],
      since: now,
    },
  },
});

const seedVolume =
  (change: Parameters<typeof addVolume>[1] = {}): Change =>
  (observation) =>
    addVolume('b', { name: seed, clusterId: '', memberId: '', ...change })(observation);

const up: Partial<Parameters<typeof container>[1]> = {
  id: 'x',
  state: 'running',
  reason: '',
  startedAt: now - 500,
  runningSince: now - 500,
};
const outdated = { drift: [{ field: 'etcdEnv', remedy: 'replace' }] } as const;

/** One voter of a cluster whose spec asks for `size` members. */
const oneOf = (size: number, version = '3.6.16'): readonly Change[] => [
  healthy(1, { version }),
  cluster((facts) => ('problems' in facts.desired ? facts : { ...facts, desired: { ...facts.desired, size } })),
  budget(size < 3 ? size : Math.floor(size / 2) + 1),
];

/** From an empty cluster to all voters: operator rules 1, 2, 5, 9, 12, 13, 24. */
export const bootstrap: readonly Row[] = [
  {
    name: '[34] Services exist before the first pod: one plan makes both, in that order',
    given: [empty(), see({ services: { peer: 'missing', client: 'missing' } })],
    steps: ['ensureService peer', 'ensureService client', 'createSeed 3.6.16'],
    because: 'Bootstrapping: creating first member c-mwqdjbbmmx (1 of 3).',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 13: exactly one seed is made, whatever the size',
    given: [empty({ size: 7 })],
    steps: ['createSeed 3.6.16'],
    because: seed,
    situation: 'bootstrapping',
  },
  {
    name: 'a cluster of one says so',
    given: [empty({ size: 1 })],
    steps: ['createSeed 3.6.16'],
    because: 'Bootstrapping: creating first member c-mwqdjbbmmx (1 of 1).',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 18: secrets that would fail are reported before anything is made',
    given: [empty({ peerTLS: true }), see({ secretProblems: ['secret peer has no SAN for c-x'] })],
    steps: [],
    because: 'no SAN',
    situation: 'bootstrapping',
  },
  {
    name: 'fault 7, operator rule 30: a pod of an earlier cluster of this name is still ending: the seed waits',
    given: [empty(), addPod('f', { ownership: 'other', terminating: true, clusterId: 'c0' })],
    steps: [],
    because:
      'Waiting for pod/c-ffffffffff to be deleted: it belongs to an earlier EtcdCluster of the same name and would be mistaken for a member.',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 5: volumes of an earlier object of this name are not adopted, and do not stop a new cluster',
    given: [empty({ storage: 'claim' }), addVolume('f', { ownership: 'other', clusterId: 'c0' })],
    steps: ['createSeed 3.6.16'],
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 5: a volume of our own without a record is a cluster that had data: nothing is bootstrapped beside it',
    given: [empty({ storage: 'claim' }), addVolume('f', { clusterId: '', memberId: '' })],
    steps: [],
    because:
      'pvc/c-ffffffffff belongs to this cluster, but no cluster ID is recorded. Restore a backup with an EtcdRestore, or delete the PVC if its data is not needed.',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 5: a pod of our own of another incarnation without a record: nothing is bootstrapped beside it',
    given: [empty(), addPod('f', { incarnation: 2, clusterId: '' })],
    steps: [],
    because:
      'pod/c-ffffffffff belongs to another incarnation of this cluster (a restore creates an incarnation) and may hold data, so no new cluster is created. Restore a backup with an EtcdRestore, or delete the pod if its data is not needed.',
    situation: 'bootstrapping',
  },
  {
    name: "fault 1: the seed's volume was made, its pod was not: the same seed is made",
    given: [empty({ storage: 'claim' }), seedVolume()],
    steps: ['createSeed 3.6.16'],
    situation: 'bootstrapping',
  },
  {
    name: 'TLS was turned on before the cluster ID of the seed was recorded, and its volume is there: nothing else is bootstrapped on it',
    given: [empty({ storage: 'claim', peerTLS: true }), seedVolume({ tls: { peer: false, client: false } })],
    steps: [],
    because:
      'pvc/c-mwqdjbbmmx was created with another spec.TLS. Change spec.TLS back, or delete the PVC if its data is not needed.',
    situation: 'bootstrapping',
  },
  {
    name: "the seed's volume is still being deleted: the seed waits",
    given: [empty({ storage: 'claim' }), seedVolume({ terminating: true })],
    steps: [],
    because: 'Waiting for the old PVC c-mwqdjbbmmx to be deleted before creating the first member.',
    situation: 'bootstrapping',
  },
  {
    name: "a seed's pod was deleted after it had bootstrapped on its volume: no older version is tried on it",
    given: [empty({ storage: 'claim', version: '3.5.35' }), seedVolume({ version: '3.6.16' })],
    steps: ['createSeed 3.6.16'],
    situation: 'bootstrapping',
  },
  {
    name: 'nor anything newer than the same minor: the upgrade alone takes such steps',
    given: [empty({ storage: 'claim', version: '3.6.16' }), seedVolume({ version: '3.4.44' })],
    steps: ['createSeed 3.4.44'],
    situation: 'bootstrapping',
  },
  {
    name: 'fault 2: the seed is there and starts: no second seed',
    given: [empty(), withSeed()],
    steps: [],
    because: 'Waiting for first member c-mwqdjbbmmx to start: ContainerCreating.',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 1: a seed that answers loses its bootstrap configuration before its cluster ID is recorded',
    given: [empty(), withSeed(container('b', up), answer('b', statusOf('b', '3.6.16')), listsItself)],
    steps: ['clearBootstrap new', 'recordIdentity c1/1 bootstrapVersion 3.6.16'],
    because: 'must not start on an empty directory',
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 4: a restored seed finds data and never had a bootstrap configuration: its cluster ID is recorded without a bootstrap version',
    given: [
      empty(),
      withSeed(pod('b', { boot: 'cleared' }), container('b', up), answer('b', statusOf('b', '3.6.16')), listsItself),
    ],
    steps: ['clearBootstrap new', 'recordIdentity c1/1'],
    situation: 'bootstrapping',
  },
  {
    name: 'an address leads elsewhere: the identity of a cluster that does not list the seed is not recorded',
    given: [empty(), withSeed(container('b', up), answer('b', statusOf('b', '3.6.16')))],
    steps: [],
    because: 'does not list',
    situation: 'bootstrapping',
  },
  {
    name: 'the cluster ID of a seed that is being deleted is not recorded, though it still answers',
    given: [
      empty(),
      withSeed(pod('b', { terminating: true }), container('b', up), answer('b', statusOf('b', '3.6.16'))),
    ],
    steps: [],
    because: 'Waiting for the pod of first member c-mwqdjbbmmx to be deleted.',
    situation: 'bootstrapping',
  },
  {
    name: '[52] a seed that was evicted before its cluster ID was recorded is recreated',
    given: [empty(), withSeed(pod('b', { phase: 'Failed' }))],
    steps: ['deletePod new'],
    because:
      'Recreating pod/c-mwqdjbbmmx of the first member: it stopped (Failed) before the cluster was bootstrapped.',
    situation: 'bootstrapping',
  },
  {
    name: '[54] an unschedulable seed is reported',
    given: [
      empty(),
      withSeed(pod('b', { node: '' }), container('b', { reason: 'Unschedulable', message: '0/3 nodes' })),
    ],
    steps: [],
    because: 'Waiting for first member c-mwqdjbbmmx to be scheduled: 0/3 nodes.',
    situation: 'bootstrapping',
  },
  {
    name: '[54] an image that cannot be pulled is reported',
    given: [empty(), withSeed(container('b', cannotPull))],
    steps: [],
    because: 'ImagePullBackOff',
    situation: 'bootstrapping',
  },
  {
    name: '[54] created with a wrong version, corrected: the seed is recreated at once',
    given: [empty(), withSeed(pod('b', { image: 'quay.io/coreos/etcd:v3.6.99' }), container('b', cannotPull))],
    steps: ['deletePod new'],
    because: '(image)',
    situation: 'bootstrapping',
  },
  {
    name: '[54] the same on a volume: nothing has run on it, so it goes too',
    given: [
      empty({ storage: 'claim' }),
      withSeed(
        pod('b', { image: 'quay.io/coreos/etcd:v3.7.99', freshVolume: true, data: 'claim' }),
        container('b', cannotPull),
      ),
      seedVolume({ version: '3.7.99' }),
    ],
    steps: ['deletePod new', 'deleteVolume new'],
    because: 'Deleting pvc/c-mwqdjbbmmx: no etcd has ever run on it.',
    situation: 'bootstrapping',
  },
  {
    name: '[54] the same with a volume that was never bound: nothing can have run on it',
    given: [
      empty({ storage: 'claim' }),
      withSeed(pod('b', { image: 'quay.io/coreos/etcd:v3.7.99', data: 'claim' }), container('b', cannotPull)),
      seedVolume({ version: '3.7.99', phase: 'Pending' }),
    ],
    steps: ['deletePod new', 'deleteVolume new'],
    situation: 'bootstrapping',
  },
  {
    name: 'operator rule 1: a seed that was recreated on its volume and cannot start: another may have bootstrapped the cluster there before',
    given: [
      empty({ storage: 'claim', version: '3.5.35' }),
      withSeed(
        pod('b', { node: '', data: 'claim', image: 'quay.io/coreos/etcd:v3.6.16', version: '3.6.16' }),
        container('b', { reason: 'Unschedulable', message: '0/3 nodes' }),
      ),
      seedVolume({ version: '3.6.16' }),
    ],
    steps: [],
    because: 'Waiting for first member c-mwqdjbbmmx to be scheduled: 0/3 nodes.',
    situation: 'bootstrapping',
  },
  {
    name: '[66] a seed that crashes over an option is recreated when the option is corrected',
    given: [
      empty(),
      withSeed(
        pod('b', outdated),
        container('b', {
          reason: 'CrashLoopBackOff',
          restarts: 4,
          lastExit: { code: 2, reason: 'Error', message: '' },
        }),
      ),
    ],
    steps: ['deletePod new'],
    because: 'etcdEnv',
    situation: 'bootstrapping',
  },
  {
    name: '[66] a seed that has crashed keeps its volume when it is recreated',
    given: [
      empty({ storage: 'claim' }),
      withSeed(pod('b', outdated), container('b', { reason: 'CrashLoopBackOff', restarts: 4 })),
      seedVolume(),
    ],
    steps: ['deletePod new'],
    situation: 'bootstrapping',
  },
  {
    name: 'a seed that runs is not touched by a change of the spec before it answers',
    given: [empty(), withSeed(pod('b', outdated), container('b', up))],
    steps: [],
    because: 'Waiting for first member c-mwqdjbbmmx to start.',
    situation: 'bootstrapping',
  },
  {
    name: 'crash between clearing the bootstrap configuration and recording the cluster ID: the pod itself tells its IDs, and work goes on',
    given: [
      ...oneOf(3),
      cluster((facts) => ({ ...facts, recordedInStatus: undefined, recordedInAnnotation: undefined })),
    ],
    steps: ['recordIdentity c1/1', 'joinMember as learner 3.6.16'],
    because: 'Adding member c-kc4rhmhf4h (2 of 3).',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: the first joining member is added when the cluster ID is recorded',
    given: [...oneOf(3)],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: the next joining member waits until the one before is up: no name may be missing when it starts',
    given: [...oneOf(3), joining('c')],
    steps: [],
    because: 'Waiting for learner c-cccccccccc: its container is waiting: ContainerCreating.',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: a joining member whose peer port answers is up enough for the next',
    given: [...oneOf(3), joining('c'), closed(0, 'c')],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: all join side by side before the first is promoted',
    given: [...oneOf(5), learner('c'), learner('d')],
    steps: ['joinMember as learner 3.6.16'],
    because: 'Adding member c-7bs6ncjq77 (4 of 5).',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 9: with the last learner up, promotions begin; the bootstrap configuration is cleared first (operator rule 1), one at a time',
    given: [...oneOf(3), learner('c'), learner('d')],
    steps: ['clearBootstrap c', 'promote c'],
    because:
      'Clearing the bootstrap configuration of pod/c-cccccccccc: a voter must not start with an empty data directory.',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 24: the next promotion follows at once',
    given: [healthy(2), ...oneOf(3).slice(1), learner('d')],
    steps: ['clearBootstrap d', 'promote d'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 2: on 3.5 one learner at a time: the first is not promoted before etcd would accept the second',
    given: [...oneOf(3, '3.5.35'), learner('c', { since: now - 5_000 })],
    steps: [],
    because:
      'Learner c-cccccccccc is ready. Waiting 6 s before the learner is promoted, so that etcd accepts the next member.',
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 2: on 3.5 one learner at a time: the first is promoted before the second joins',
    given: [...oneOf(3, '3.5.35'), learner('c', { since: now - 6_000 })],
    steps: ['clearBootstrap c', 'promote c'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 2: a learner beside a voter without the raised limit stays the only one',
    given: [...oneOf(3), pod('b', { adopted: true, boot: 'fixed' }), learner('c', { since: now - 6_000 })],
    steps: ['clearBootstrap c', 'promote c'],
    situation: 'scalingUp',
  },
  {
    name: 'a learner that is ready waits a while for other learners, so that no client waits five seconds later',
    given: [...oneOf(5), learner('c'), joining('d')],
    steps: [],
    because: 'Learner c-cccccccccc is ready. Waiting for the other members to start.',
    situation: 'scalingUp',
  },
  {
    name: '[54] but not for ever: a companion that cannot start does not keep it from voting',
    given: [...oneOf(5), learner('c', { since: now - 21_000 }), joining('d')],
    steps: ['clearBootstrap c', 'promote c'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 12: 3.4 joins as a voter',
    given: [...oneOf(3, '3.4.44')],
    steps: ['joinMember as voter 3.4.44'],
    situation: 'scalingUp',
  },
  {
    name: 'operator rule 12: 3.5.19 stores promoted learners wrongly, and joins as a voter too',
    given: [...oneOf(3, '3.5.19')],
    steps: ['joinMember as voter 3.5.19'],
    situation: 'scalingUp',
  },
  {
    name: 'a learner that has not caught up is not promoted',
    given: [...oneOf(2), learner('c', { raftAppliedIndex: 10 })],
    steps: [],
    because: 'Waiting for learner c-cccccccccc: it is receiving the data.',
    situation: 'scalingUp',
  },
  {
    name: 'fault 14: a learner that never catches up is removed after an hour; voters are untouched',
    given: [
      ...oneOf(2),
      learner('c', { raftAppliedIndex: 10 }),
      pod('c', { createdAt: now - 3_700_000, seenSince: now - 3_700_000 }),
    ],
    steps: ['removeMember c (dead)'],
    because: 'Removing learner c-cccccccccc: it has not caught up within 60 min. It is added again afterwards.',
    situation: 'scalingUp',
  },
  {
    name: 'fault 14: a joining member that does not come up is removed after ten minutes',
    given: [...oneOf(2), joining('c', { createdAt: now - 601_000, seenSince: now - 601_000 })],
    steps: ['removeMember c (dead)'],
    because: 'Removing learner c-cccccccccc: it has not caught up within 10 min. It is added again afterwards.',
    situation: 'scalingUp',
  },
  {
    name: 'fault 10: the size was lowered to one while a learner joins: the learner leaves',
    given: [...oneOf(3), joining('c'), ...oneOf(1).slice(1)],
    steps: ['removeMember c (scale)'],
    situation: 'scalingDown',
  },
  {
    name: 'operator rule 1: a learner that was set to `new` by hand loses its bootstrap configuration before it votes',
    given: [...oneOf(2), learner('c'), pod('c', { boot: 'new' })],
    steps: ['clearBootstrap c', 'promote c'],
    situation: 'scalingUp',
  },
  {
    name: 'crash between clearing the bootstrap configuration and promoting: it is promoted, and nothing is cleared again',
    given: [
      ...oneOf(2),
      learner('c'),
      pod('c', { boot: 'cleared', markedVoter: true, memberId: idOf('c'), clusterId: 'c1' }),
    ],
    steps: ['promote c'],
    situation: 'scalingUp',
  },
  {
    name: 'an election is on: a learner is not promoted while there is no leader',
    given: [...oneOf(2), learner('c'), answers({ leaderId: '', leaderlessSince: now - 500 })],
    steps: [],
    because:
      'Quorum lost: 0 of 1 voter is reachable, 1 is needed. Waiting for member c-bbbbbbbbbb to return. If the data is gone, see runbook quorum-lost.',
    situation: 'quorumLost',
  },
  {
    name: 'the version asked for is a minor ahead of the seed: joining members run what the seed runs',
    given: [
      ...oneOf(3, '3.5.35'),
      (seen) => ({
        ...seen,
        cluster: {
          ...seen.cluster,
          desired: { ...wantedBy(seen), version: '3.6.16', image: 'quay.io/coreos/etcd:v3.6.16' },
        },
      }),
    ],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'scalingUp',
  },
];
