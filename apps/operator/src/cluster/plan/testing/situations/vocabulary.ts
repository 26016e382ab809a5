// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import type { Desired } from '../../../desired.ts';
import type {
  Answer,
  ClusterFacts,
  DataHash,
  EtcdMember,
  MemberPod,
  MemberVolume,
  NodeFacts,
  Observation,
} from '../../../observation.ts';
import type { Situation } from '../../plan.ts';
import { desiredOf, noContainer, podOf, volumeOf } from '../fixtures.ts';

/**
 * The functions with which the tables of situations are written: `healthy` makes a healthy cluster, and each of the other functions changes
 * one thing about it.
 */

/** The time at which every situation is observed. */
export const now = 10_000_000;
/** When all objects in the healthy base were created: so long ago that no minimum age matters. */
const longAgo = 1_000_000;

/** One named situation: what is observed, and which steps must follow from the rules. */
export interface Row {
  /** A sentence, with the numbers of the rules and of the checklist items that it tests. */
  readonly name: string;
  /** Applied in order to an empty observation. */
  readonly given: readonly Change[];
  /** The steps in order, in the words of `describeStep`. */
  readonly steps: readonly string[];
  /** A phrase in the reason of a step or of a wait. */
  readonly because?: string;
  readonly situation: Situation;
}

/** Rows with the same situation. A row whose plan has another situation names it itself. */
export const rowsOf = (
  situation: Situation,
  rows: readonly (Omit<Row, 'situation'> & Partial<Pick<Row, 'situation'>>)[],
): readonly Row[] => rows.map((row) => ({ situation, ...row }));

export type Change = (observation: Observation) => Observation;

/** The letter of a member. The name of its pod is `c-` and ten times this letter. */
export type Letter = 'b' | 'c' | 'd' | 'f' | 'g' | 'h' | 'j';
const letters: readonly Letter[] = ['b', 'c', 'd', 'f', 'g', 'h', 'j'];

export const podName = (letter: string): string => `c-${letter.repeat(10)}`;
export const idOf = (letter: string): string => `id-${letter}`;
export const nodeOf = (letter: string): string => `node-${letter}`;
const clusterId = 'c1';
const uid = 'uid-1';

/** An observation with nothing but the EtcdCluster. */
export function nothing(desired: Partial<Desired> = {}): Observation {
  return {
    cluster: {
      name: 'c',
      namespace: 'ns',
      uid,
      generation: 2,
      desired: desiredOf(desired),
      paused: false,
      deleting: false,
      recordedInStatus: undefined,
      recordedInAnnotation: undefined,
      isLive: true,
      bootstrapVersion: undefined,
      currentVersion: '',
      failedUpgrade: undefined,
    },
    pods: [],
    volumes: [],
    services: { peer: 'current', client: 'current' },
    budget: { minAvailable: undefined, otherOwner: false },
    etcd: {
      membership: { kind: 'unknown', why: 'no member answers' },
      clusterVersion: '',
      answers: new Map(),
      heard: new Map(),
      hashes: new Map(),
    },
    nodes: new Map(),
    imageChecks: [],
    secretProblems: [],
    coreosOperator: undefined,
  };
}

/** A healthy cluster with this number of voters, led by `b`. */
export function healthy(size: number, desired: Partial<Desired> = {}): Change {
  return () => {
    const base = nothing({ size, ...desired });
    const record = { clusterId, incarnation: 1 };
    const wanted = desiredOf({ size, ...desired });
    const names = letters.slice(0, size);
    const volumes = wanted.storage === 'claim' ? names.map((letter) => volumeFor(letter, wanted)) : [];
    const noBudget = size < 3 && wanted.storage === 'claim';
    return {
      ...base,
      cluster: {
        ...base.cluster,
        recordedInStatus: record,
        recordedInAnnotation: record,
        currentVersion: wanted.version,
        bootstrapVersion: wanted.version,
      },
      pods: names.map((letter) => podFor(letter, wanted)),
      volumes,
      budget: { minAvailable: noBudget ? undefined : size < 3 ? size : quorum(size), otherOwner: false },
      nodes: new Map(names.map((letter) => [nodeOf(letter), goodNode])),
      etcd: {
        membership: { kind: 'known', clusterId, members: names.map((letter) => memberFor(letter)), since: longAgo },
        heard: new Map(),
        hashes: new Map(),
        clusterVersion: `${wanted.version.split('.').slice(0, 2).join('.')}.0`,
        answers: new Map(names.map((letter) => [podName(letter), statusOf(letter, wanted.version)])),
      },
    };
  };
}

const goodNode: NodeFacts = {
  exists: true,
  ready: true,
  schedulable: true,
  outOfService: false,
};

/** The pod of a voter that has been running for long. */
function podFor(letter: string, { version, image, storage, peerTLS, clientTLS }: Desired): MemberPod {
  const name = podName(letter);
  return podOf({
    name,
    uid: `uid-${letter}`,
    resourceVersion: `rv-${letter}`,
    clusterId,
    memberId: idOf(letter),
    boot: 'cleared',
    markedVoter: true,
    ready: true,
    createdAt: longAgo,
    seenSince: longAgo,
    node: nodeOf(letter),
    version,
    image,
    data: storage,
    peerTLS,
    clientTLS,
    container: {
      id: `container-${letter}`,
      state: 'running',
      reason: '',
      message: '',
      startedAt: longAgo,
      runningSince: longAgo,
      restarts: 0,
      lastExit: undefined,
    },
  });
}

function volumeFor(letter: string, { version, peerTLS, clientTLS }: Desired): MemberVolume {
  const name = podName(letter);
  const tls = { peer: peerTLS, client: clientTLS };
  return volumeOf({
    name,
    uid: `volume-${letter}`,
    clusterId,
    memberId: idOf(letter),
    version,
    tls,
  });
}

export function memberFor(letter: string): EtcdMember {
  const name = podName(letter);
  const peerURLs = [`http://${name}.c.ns.svc:2380`];
  return { id: idOf(letter), name, podName: name, peerURLs, isLearner: false, seenSince: longAgo };
}

type Status = Extract<Answer, { kind: 'status' }>;

export function statusOf(letter: string, version: string): Status {
  return {
    kind: 'status',
    memberId: idOf(letter),
    clusterId,
    version,
    leaderId: idOf('b'),
    leaderlessSince: 0,
    identitySince: longAgo,
    isLearner: false,
    revision: 100,
    raftIndex: 1000,
    raftAppliedIndex: 1000,
    dbSize: 4096,
    alarms: [],
    since: longAgo,
    raftSnapshots: 0,
    downgradeTarget: '',
    storageVersion: `${version.split('.').slice(0, 2).join('.')}.0`,
  };
}

// ---- changes

/** The spec has these values now; nothing else changes. */
export const spec = (desired: Partial<Desired>): Change =>
  cluster((facts) => {
    if ('problems' in facts.desired) return facts;
    const next = { ...facts.desired, ...desired };
    return { ...facts, desired: { ...next, image: desired.image ?? `${next.repository}:v${next.version}` } };
  });

export const cluster =
  (change: (facts: ClusterFacts) => ClusterFacts): Change =>
  (observation) => ({ ...observation, cluster: change(observation.cluster) });

export const see =
  (change: Partial<Observation>): Change =>
  (observation) => ({ ...observation, ...change });

export const pod =
  (letter: string, change: Partial<MemberPod>): Change =>
  (observation) => ({
    ...observation,
    pods: observation.pods.map((item) => (item.name === podName(letter) ? { ...item, ...change } : item)),
  });

export const pods =
  (change: Partial<MemberPod>): Change =>
  (observation) => ({ ...observation, pods: observation.pods.map((item) => ({ ...item, ...change })) });

export const container =
  (letter: string, change: Partial<MemberPod['container']>): Change =>
  (observation) => ({
    ...observation,
    pods: observation.pods.map((item) =>
      item.name === podName(letter) ? { ...item, container: { ...item.container, ...change } } : item,
    ),
  });

export const addPod =
  (letter: string, change: Partial<MemberPod> = {}): Change =>
  (observation) => ({
    ...observation,
    pods: [...observation.pods, { ...podFor(letter, wantedBy(observation)), ...change }],
  });

export const volume =
  (letter: string, change: Partial<MemberVolume>): Change =>
  (observation) => ({
    ...observation,
    volumes: observation.volumes.map((item) => (item.name === podName(letter) ? { ...item, ...change } : item)),
  });

export const addVolume =
  (letter: string, change: Partial<MemberVolume> = {}): Change =>
  (observation) => ({
    ...observation,
    volumes: [...observation.volumes, { ...volumeFor(letter, wantedBy(observation)), ...change }],
  });

export const withoutVolume =
  (...names: readonly string[]): Change =>
  (observation) => ({
    ...observation,
    volumes: observation.volumes.filter((item) => !names.some((letter) => item.name === podName(letter))),
  });

/** The pods are gone, and their answers, too. */
export const withoutPod =
  (...names: readonly string[]): Change =>
  (observation) => ({
    ...withAnswers(observation, (answers) => {
      for (const letter of names) answers.delete(podName(letter));
    }),
    pods: observation.pods.filter((item) => !names.some((letter) => item.name === podName(letter))),
  });

export const answer =
  (letter: string, change: Partial<Status>): Change =>
  (observation) =>
    withAnswers(observation, (answers) => {
      const known = answers.get(podName(letter));
      const base = known?.kind === 'status' ? known : statusOf(letter, wantedBy(observation).version);
      answers.set(podName(letter), { ...base, ...change });
    });

export const answers =
  (change: Partial<Status>): Change =>
  (observation) =>
    withAnswers(observation, (all) => {
      for (const [name, item] of all) if (item.kind === 'status') all.set(name, { ...item, ...change });
    });

/** These members have not answered for this time, and the kubelet has noticed. */
export const down =
  (milliseconds: number, ...names: readonly string[]): Change =>
  (observation) =>
    names.reduce(
      (seen, letter) => pod(letter, { ready: false })(seen),
      unreachable(milliseconds, ...names)(observation),
    );

/** The operator has not been able to reach these members for this time; all other clients can. */
export const unreachable =
  (milliseconds: number, ...names: readonly string[]): Change =>
  (observation) =>
    withAnswers(observation, (all) => {
      for (const letter of names)
        all.set(podName(letter), { kind: 'unreachable', since: now - milliseconds, why: 'connection refused' });
    });

/** The member has never answered since this operator started. */
export const neverAnswered =
  (letter: string): Change =>
  (seen) => {
    const name = podName(letter);
    const found = seen.etcd.answers.get(name);
    if (found?.kind !== 'unreachable') return seen;
    return {
      ...seen,
      etcd: { ...seen.etcd, answers: new Map([...seen.etcd.answers, [name, { ...found, neverAnswered: true }]]) },
    };
  };

/** There has been a quorum for this time only. */
export const quorumFor =
  (milliseconds: number): Change =>
  (observation) => {
    const { membership } = observation.etcd;
    if (membership.kind === 'unknown') return observation;
    return { ...observation, etcd: { ...observation.etcd, membership: { ...membership, since: now - milliseconds } } };
  };

/** etcd has raised CORRUPT without naming a member, and these voters have reported the hash of their data. */
export const corrupt =
  (told: Readonly<Record<string, number | Partial<DataHash>>>): Change =>
  (observation) => {
    const common = { revision: 100, compactRevision: 50, reached: 100 };
    const hashes = new Map(
      Object.entries(told).map(([letter, said]) => {
        const { hash = 1, ...rest } = typeof said === 'number' ? { hash: said } : said;
        return [podName(letter), { ...common, hash, ...rest }];
      }),
    );
    const alarmed = answers({ alarms: ['alarm:CORRUPT '] })(observation);
    return { ...alarmed, etcd: { ...alarmed.etcd, hashes } };
  };

/** The etcd of one pod has just received data from these members. */
export const heard =
  (letter: string, ...from: readonly string[]): Change =>
  (observation) => ({
    ...observation,
    etcd: {
      ...observation.etcd,
      heard: new Map([...observation.etcd.heard, [podName(letter), new Set(from.map(idOf))]]),
    },
  });

/** The member has run for this time with its client port closed, and has applied this number of entries. */
export const closed =
  (milliseconds: number, letter: string, applied = 1000): Change =>
  (observation) =>
    withAnswers(observation, (all) => {
      all.set(podName(letter), { kind: 'peerOnly', since: now - milliseconds, applied });
    });

function withAnswers(observation: Observation, change: (answers: Map<string, Answer>) => void): Observation {
  const all = new Map(observation.etcd.answers);
  change(all);
  return { ...observation, etcd: { ...observation.etcd, answers: all } };
}

export const member =
  (letter: string, change: Partial<EtcdMember>): Change =>
  (observation) =>
    withMembers(observation, (members) =>
      members.map((item) => (item.podName === podName(letter) ? { ...item, ...change } : item)),
    );

export const addMember =
  (letter: string, change: Partial<EtcdMember> = {}): Change =>
  (observation) =>
    withMembers(observation, (members) => [...members, { ...memberFor(letter), ...change }]);

export const withoutMember =
  (...names: readonly string[]): Change =>
  (observation) =>
    withMembers(observation, (members) =>
      members.filter((item) => !names.some((letter) => item.podName === podName(letter))),
    );

function withMembers(
  observation: Observation,
  change: (members: readonly EtcdMember[]) => readonly EtcdMember[],
): Observation {
  const { membership } = observation.etcd;
  if (membership.kind === 'unknown') return observation;
  const next = { ...membership, members: change(membership.members) };
  return { ...observation, etcd: { ...observation.etcd, membership: next } };
}

/** No member answers for the cluster. */
export const noQuorum: Change = (observation) => ({
  ...observation,
  etcd: { ...observation.etcd, membership: { kind: 'unknown', why: 'no member answers' }, clusterVersion: '' },
});

/** The present disruption budget. */
export const budget = (minAvailable: number | undefined, otherOwner = false): Change =>
  see({ budget: { minAvailable, otherOwner } });

/** No member has answered, and this is known about the member list. */
export const nothingHeard = (membership: Observation['etcd']['membership']): Change =>
  see({ etcd: { membership, clusterVersion: '', answers: new Map(), heard: new Map(), hashes: new Map() } });

export const node =
  (letter: string, change: Partial<NodeFacts>): Change =>
  (observation) => ({
    ...observation,
    nodes: new Map([...observation.nodes, [nodeOf(letter), { ...goodNode, ...change }]]),
  });

/** A learner that has joined: its pod has its bootstrap configuration, runs and is in sync. */
export const learner =
  (letter: string, change: Partial<Status> = {}): Change =>
  (observation) =>
    [
      addMember(letter, { isLearner: true }),
      addPod(letter, {
        boot: 'existing',
        markedVoter: false,
        clusterId: '',
        memberId: '',
        createdAt: now - 5_000,
        seenSince: now - 5_000,
      }),
      answer(letter, { isLearner: true, since: now - 2_000, ...change }),
    ].reduce((seen, step) => step(seen), observation);

/** A learner whose pod has just been created. */
export const joining =
  (letter: string, change: Partial<MemberPod> = {}): Change =>
  (observation) =>
    [
      addMember(letter, { isLearner: true, name: '' }),
      addPod(letter, { ...justMade, boot: 'existing', markedVoter: false, clusterId: '', memberId: '', ...change }),
      down(1_000, letter),
    ].reduce((seen, step) => step(seen), observation);

/** The facts of a pod that was created a moment ago. */
export const justMade: Partial<MemberPod> = {
  createdAt: now - 1_000,
  seenSince: now - 1_000,
  phase: 'Pending',
  ready: false,
  container: noContainer,
};

/** A container that cannot be started because its image cannot be pulled. */
export const cannotPull: Partial<MemberPod['container']> = {
  state: 'waiting',
  reason: 'ImagePullBackOff',
  message: 'Back-off pulling image',
  startedAt: 0,
};

export function wantedBy({ cluster: { desired } }: Observation): Desired {
  return 'problems' in desired ? desiredOf() : desired;
}
