// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { seedName } from '../../../identity/member-naming.ts';
import type { Desired } from '../../desired.ts';
import type {
  Answer,
  ContainerFacts,
  Drift,
  EtcdMember,
  IdentityRecord,
  ImageCheck,
  MemberPod,
  MemberVolume,
  NodeFacts,
  Observation,
} from '../../observation.ts';
import { blankDirectoryMessage } from '../member-health.ts';
import { desiredOf } from './fixtures.ts';

/**
 * Observations of every kind, consistent or not: anything that a cache, a user or a bug may show the planner. Names and IDs come from small
 * pools, so that objects often, but not always, belong together.
 */

const uid = 'uid-1';
export const now = 10_000_000;

const names = [
  seedName('c', uid, 1),
  'c-bbbbbbbbbb',
  'c-cccccccccc',
  'c-dddddddddd',
  'c-ffffffffff',
  'c-0001',
  'db-7',
] as const;

const versions = ['3.3.25', '3.4.44', '3.5.19', '3.5.29', '3.5.35', '3.6.10', '3.6.16', '3.7.3', '9.9.9', ''] as const;
/** Almost always the usual value: an observation has so many values that nevertheless a few are unusual in each observation. */
const mostly = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 25, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(usual, ...others) });
const version = mostly<string>('3.6.16', ...versions);
const moment = fc.constantFrom(
  0,
  now - 4_000_000,
  now - 400_000,
  now - 130_000,
  now - 40_000,
  now - 1_000,
  now,
  now + 5_000,
);
const idFor = (name: string) => mostly(`id-${name}`, '', '', 'id-x', 'id-c-bbbbbbbbbb');
const clusterIds = mostly('c1', '', '', '', 'c2');
const incarnations = mostly(1, 1, 1, 2, 3);
const image = (version: string) => `quay.io/coreos/etcd:v${version}`;

const drifts: fc.Arbitrary<readonly Drift[]> = fc.oneof(
  { weight: 20, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({
        field: fc.constantFrom('labels', 'affinity', 'resources'),
        remedy: fc.constantFrom('inPlace' as const, 'resize' as const, 'replace' as const),
      }),
      { maxLength: 2 },
    ),
  },
);

const containers: fc.Arbitrary<ContainerFacts> = fc.record({
  id: fc.constantFrom('x', 'y', ''),
  state: mostly('running' as const, 'waiting', 'terminated', 'unknown'),
  reason: mostly('', 'CrashLoopBackOff', 'ImagePullBackOff', 'Unschedulable', 'ContainerCreating'),
  message: fc.oneof(fc.constant(''), fc.constant('x'.repeat(3_000)), fc.constant(image('3.6.16'))),
  startedAt: mostly(1_000, 0, now - 700_000, now),
  runningSince: mostly(1_000, 0, now - 700_000, now),
  restarts: mostly(0, 1, 5),
  lastExit: fc.option(
    fc.record({
      code: fc.constant(1),
      reason: fc.constantFrom('Error', 'OOMKilled'),
      message: fc.constantFrom('panic', blankDirectoryMessage),
    }),
    { nil: undefined, freq: 3 },
  ),
});

function pods(name: string, storage: Desired['storage']): fc.Arbitrary<MemberPod> {
  return fc
    .tuple(podsOfEtcd(name, storage), mostly('', 'logger (Error)'))
    .map(([pod, brokenSidecar]) => (pod.ready || brokenSidecar === '' ? pod : { ...pod, brokenSidecar }));
}

function podsOfEtcd(name: string, storage: Desired['storage']): fc.Arbitrary<MemberPod> {
  return fc.tuple(version, version, mostly(false, true), containers).chain(([runs, previous, isUnproven, container]) =>
    fc.record({
      name: fc.constant(name),
      uid: fc.constant(`pod-${name}`),
      resourceVersion: fc.constant('7'),
      ownership: mostly('ours' as const, 'other'),
      incarnation: incarnations,
      clusterId: clusterIds,
      memberId: idFor(name),
      boot: mostly('cleared' as const, 'new', 'existing', 'fixed'),
      bootPeers: mostly([] as readonly string[], ['http://somebody-else.c.ns.svc:2380']),
      freshVolume: mostly(false, true),
      markedVoter: mostly(true, false),
      terminating: mostly(false, true),
      phase: mostly('Running' as const, 'Pending', 'Succeeded', 'Failed', 'Unknown'),
      ready: fc.boolean(),
      createdAt: moment,
      seenSince: moment,
      node: fc.constantFrom('n1', 'n2'),
      ip: mostly('10.0.0.1', ''),
      image: fc.constant(image(runs)),
      version: fc.constant(runs),
      previousVersion: fc.constant(isUnproven ? previous : ''),
      previousImage: fc.constant(isUnproven ? image(previous) : ''),
      previousContainer: fc.constantFrom('', 'x'),
      adopted: mostly(false, true),
      data: fc.constant(storage),
      peerTLS: mostly(false, true),
      clientTLS: mostly(false, true),
      container: fc.constant(container),
      drift: drifts,
      snapshotCount: mostly('', '5'),
    }),
  );
}

function volumes(name: string): fc.Arbitrary<MemberVolume> {
  return fc.record({
    name: fc.constant(name),
    uid: fc.constant(`volume-${name}`),
    ownership: mostly('ours' as const, 'other'),
    incarnation: incarnations,
    clusterId: clusterIds,
    memberId: idFor(name),
    version,
    previousVersion: mostly<string>('', ...versions),
    adopted: mostly(false, true),
    tls: mostly<MemberVolume['tls']>(undefined, { peer: false, client: false }, { peer: true, client: true }),
    terminating: mostly(false, true),
    phase: mostly('Bound' as const, 'Pending', 'Lost'),
  });
}

function members(name: string): fc.Arbitrary<EtcdMember> {
  return fc.record({
    id: fc.constantFrom(`id-${name}`),
    name: mostly(name, ''),
    podName: fc.constant(name),
    peerURLs: fc.constant([`http://${name}.c.ns.svc:2380`]),
    isLearner: mostly(false, true),
    seenSince: moment,
  });
}

function answers(name: string): fc.Arbitrary<Answer> {
  const status = fc.record({
    kind: fc.constant('status' as const),
    memberId: idFor(name),
    clusterId: clusterIds,
    version,
    leaderId: mostly('id-c-bbbbbbbbbb', '', `id-${name}`),
    leaderlessSince: moment,
    identitySince: moment,
    isLearner: fc.boolean(),
    revision: fc.nat(1_000),
    raftIndex: fc.nat(1_000),
    raftAppliedIndex: mostly(1_000, 1, 900),
    dbSize: fc.nat(1_000_000),
    alarms: mostly<readonly string[]>([], ['alarm:NOSPACE'], ['memberID:7 alarm:CORRUPT']),
    since: moment,
    raftSnapshots: mostly<number | undefined>(1, 0, undefined),
    downgradeTarget: mostly('', '3.5.0', '3.6.0'),
    storageVersion: mostly('', '3.5.0', '3.6.0'),
  });
  return fc.oneof(
    { weight: 12, arbitrary: status },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('peerOnly' as const), since: moment, applied: fc.nat(1_000) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('unreachable' as const),
        since: moment,
        why: fc.constantFrom('refused', ''),
      }),
    },
  );
}

const identityRecords: fc.Arbitrary<IdentityRecord | undefined> = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ clusterId: 'c1', incarnation: 1 }) },
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ clusterId: clusterIds, incarnation: incarnations }) },
);

const nodes: fc.Arbitrary<NodeFacts> = fc.record({
  exists: mostly(true, false),
  ready: mostly(true, false),
  schedulable: mostly(true, false),
  outOfService: mostly(false, true),
});

const imageChecks: fc.Arbitrary<ImageCheck> = fc.record({
  name: fc.constantFrom('check-1', 'check-2'),
  uid: fc.constant('check'),
  node: fc.constantFrom('n1', 'n2'),
  image: fc.constantFrom(...versions.map(image)),
  seenSince: moment,
  result: fc.constantFrom('pending' as const, 'succeeded' as const, 'failed' as const),
  detail: fc.constantFrom(...versions),
});

const specs: fc.Arbitrary<Desired> = fc
  .record({
    size: fc.constantFrom(3, 1, 2, 4, 5, 7),
    version: fc.oneof(
      { weight: 2, arbitrary: fc.constant('3.6.16') },
      { weight: 1, arbitrary: fc.constantFrom('3.4.44', '3.5.35', '3.6.17', '3.7.3', '9.9.9') },
    ),
    repository: mostly('quay.io/coreos/etcd', 'example.com/etcd'),
    storage: fc.constantFrom('claim' as const, 'emptyDir' as const, 'memory' as const),
    peerTLS: mostly(false, true),
    podDisruptionBudget: fc.boolean(),
    updatePolicy: fc.constantFrom('OnNextPod' as const, 'Replace' as const),
    optionProblems: mostly<readonly string[]>([], ['no']),
    quorumLoss: fc.constantFrom('Manual' as const, 'Automatic' as const, 'Never' as const),
    recoverAfter: mostly(600_000, 10_000),
  })
  .map((overrides) => desiredOf(overrides));

const clusters: fc.Arbitrary<Observation['cluster']> = fc.record({
  name: fc.constant('c'),
  namespace: fc.constant('ns'),
  uid: fc.constant(uid),
  generation: fc.constant(2),
  desired: fc.oneof({ weight: 40, arbitrary: specs }, { weight: 1, arbitrary: fc.constant({ problems: ['bad'] }) }),
  refusals: mostly<readonly string[]>([], [], ['no']),
  paused: mostly(false, true),
  deleting: mostly(false, false, true),
  recordedInStatus: identityRecords,
  recordedInAnnotation: identityRecords,
  isLive: fc.boolean(),
  bootstrapVersion: mostly<string | undefined>('3.6.16', undefined, '3.5.35', ''),
  currentVersion: fc.constantFrom(...versions),
  failedUpgrade: fc.option(fc.constant({ version: '3.6.17', generation: 2, message: 'panic' }), {
    nil: undefined,
    freq: 4,
  }),
  lastMembers: fc.array(
    fc.constantFrom(...names).chain((name) =>
      fc.record({
        name: fc.constant(name),
        id: idFor(name),
        isLearner: mostly(false, true),
        node: fc.constantFrom('n1', 'n2', ''),
      }),
    ),
    { maxLength: 5 },
  ),
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { nil: undefined, freq });

/** The objects of one name: each may exist or not. */
const belongings = fc.constantFrom<Desired['storage']>('emptyDir', 'claim', 'memory').chain((storage) =>
  fc.tuple(
    ...names.map((name) =>
      fc.boolean().chain((isThere) =>
        isThere
          ? fc.record({
              pod: maybe(pods(name, storage), 9),
              volume: storage === 'claim' ? maybe(volumes(name), 9) : fc.constant(undefined),
              member: maybe(members(name), 9),
              answer: maybe(answers(name), 20),
            })
          : fc.constant({ pod: undefined, volume: undefined, member: undefined, answer: undefined }),
      ),
    ),
  ),
);

export const observations: fc.Arbitrary<Observation> = fc
  .record({
    cluster: clusters,
    things: belongings,
    isKnown: mostly(true, false),
    knownAs: mostly('c1', 'c2'),
    services: fc.record({
      peer: mostly<Observation['services']['peer']>('current', 'missing', 'drifted', 'otherOwner'),
      client: mostly<Observation['services']['client']>('current', 'missing', 'drifted', 'otherOwner'),
    }),
    budget: fc.record({
      minAvailable: mostly<number | undefined>(2, undefined, 1, 7),
      otherOwner: mostly(false, true),
    }),
    clusterVersion: mostly('3.6.0', '', '3.5.0', '3.7.0'),
    nodes: fc.tuple(maybe(nodes, 5), maybe(nodes, 5)),
    quorumSince: moment,
    hashes: fc.array(
      fc.tuple(
        fc.constantFrom(...names),
        fc.record({
          hash: mostly(1, 2),
          revision: mostly(7, 8),
          compactRevision: mostly(1, 2),
          reached: mostly(7, 8),
        }),
      ),
      { maxLength: 5 },
    ),
    heard: fc.array(fc.tuple(fc.constantFrom(...names), fc.subarray(names.map((name) => `id-${name}`))), {
      maxLength: 3,
    }),
    imageChecks: fc.array(imageChecks, { maxLength: 2 }),
    secretProblems: mostly<readonly string[]>([], ['secret is missing']),
    coreosOperator: mostly<string | undefined>(undefined, undefined, 'old-1'),
    recovery: mostly<Observation['recovery']>(
      { kind: 'none' },
      undefined,
      { kind: 'unknown', why: 'forbidden' },
      { kind: 'begun', phase: 'Failed', reason: 'no' },
    ),
  })
  .map(({ things, isKnown, knownAs, clusterVersion, nodes: [n1, n2], quorumSince, heard, hashes, ...rest }) => {
    const present = <K extends 'pod' | 'volume' | 'member'>(key: K) => things.flatMap((thing) => thing[key] ?? []);
    const listed = present('member') as readonly EtcdMember[];
    return {
      ...rest,
      pods: present('pod') as readonly MemberPod[],
      volumes: present('volume') as readonly MemberVolume[],
      nodes: new Map([...(n1 ? [['n1', n1] as const] : []), ...(n2 ? [['n2', n2] as const] : [])]),
      etcd: {
        membership: isKnown
          ? { kind: 'known', clusterId: knownAs, members: listed, since: quorumSince }
          : { kind: 'unknown', why: 'no leader', since: quorumSince, remembered: listed },
        clusterVersion,
        hashes: new Map(hashes),
        heard: new Map(heard.map(([name, ids]) => [name, new Set(ids)])),
        answers: new Map(
          things.flatMap(({ answer }, index) => (answer ? [[names[index] ?? '', answer] as const] : [])),
        ),
      },
    };
  });
