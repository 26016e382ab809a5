// SPDX-License-Identifier: Apache-2.0

import type { Answer, EtcdMember, MemberPod, MemberVolume, Observation, Step } from '@etcd-operator/operator';
import { memberAddress, parseVersion } from '@operator-parts/etcd';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;
type Status = Extract<Answer, { kind: 'status' }>;

/** One for every kind of step; a missing one does not compile. */
type Effects = { readonly [K in Step['do']]: (world: Observation, step: Of<K>, now: number) => Observation };

/**
 * The observation after a successful step whose pods have started. Pure: the given observation is not changed. It is
 * optimistic: it ignores problems that cannot be predicted (a pod that does not start, a full disk).
 */
export function simulateStep(world: Observation, step: Step, now: number): Observation {
  // The table has an entry for exactly this kind of step.
  const effect = effects[step.do] as (world: Observation, step: Step, now: number) => Observation;
  return withClusterVersion(effect(world, step, now));
}

const effects: Effects = {
  ensureService: (world, { which }) => ({ ...world, services: { ...world.services, [which]: 'current' } }),
  ensureBudget: (world, { minAvailable }) => ({ ...world, budget: { ...world.budget, minAvailable, drifted: false } }),
  deleteBudget: (world) => ({ ...world, budget: { ...world.budget, minAvailable: undefined, drifted: false } }),
  recordIdentity,
  checkImage: checked,
  deleteImageCheck: (world, step) => ({
    ...world,
    imageChecks: world.imageChecks.filter(({ uid }) => uid !== step.uid),
  }),
  deleteVolume: (world, step) => ({ ...world, volumes: world.volumes.filter(({ uid }) => uid !== step.uid) }),
  // The restore does the rest.
  recoverQuorum: (world) => ({ ...world, recovery: { kind: 'begun', phase: '', reason: '' } }),
  createSeed: seeded,
  joinMember: joined,
  createPod: started,
  clearBootstrap: withBootstrapCleared,
  deletePod: (world, { name }) => withoutPod(world, name),
  renewBootList: renewed,
  isolatePod: (world, { name }) => editPod(world, name, () => ({ isolated: true })),
  unisolatePod: (world, { name }) => editPod(world, name, () => ({ isolated: false })),
  updatePod: (world, { name, fields }) =>
    editPod(world, name, ({ drift }) => ({ drift: drift.filter(({ field }) => !fields.includes(field)) })),
  resizePod: (world, { name }) =>
    editPod(world, name, ({ drift }) => ({ drift: drift.filter(({ remedy }) => remedy !== 'resize') })),
  setImage: reimaged,
  confirmImage: (world, { pod, version }) =>
    editVolume(
      editPod(world, pod, () => ({ previousVersion: '', previousImage: '', previousContainer: '' })),
      pod,
      () => ({ version, previousVersion: '' }),
    ),
  setSnapshotCount: (world, { pod, snapshotCount }) => editPod(world, pod, () => ({ snapshotCount })),
  promote: (world, { memberId }) => promoted(world, memberId),
  removeMember: removed,
  readdress: readdressed,
  moveLeader: (world, { to }) => editAnswers(world, () => ({ leaderId: to })),
  nudgeSnapshot: (world) => editAnswers(world, ({ raftSnapshots }) => ({ raftSnapshots: (raftSnapshots ?? 0) + 1 })),
  enableDowngrade: (world, { version }) =>
    editAnswers(world, () => ({ downgradeTarget: version, storageVersion: `${version}.0` })),
  cancelDowngrade: (world) => editAnswers(world, () => ({ downgradeTarget: '' })),
  disarmAlarm: (world, { alarm }) =>
    editAnswers(world, ({ alarms }) => ({ alarms: alarms.filter((word) => !word.includes(alarm)) })),
};

function readdressed(world: Observation, { memberId, name }: Of<'readdress'>): Observation {
  const { membership } = world.etcd;
  if (membership.kind === 'unknown') return world;
  const { name: cluster, namespace, desired } = world.cluster;
  if ('problems' in desired) return world;
  const { clusterDomain, peerTLS: peer, clientTLS: client } = desired;
  const peerURLs = [memberAddress({ member: name, cluster, namespace, clusterDomain }, { peer, client }).peerUrl];
  const members = membership.members.map((member) => (member.id === memberId ? { ...member, peerURLs } : member));
  return { ...world, etcd: { ...world.etcd, membership: { ...membership, members } } };
}

function recordIdentity(
  world: Observation,
  { clusterId, incarnation, bootstrapVersion }: Of<'recordIdentity'>,
): Observation {
  const recorded = { clusterId, incarnation };
  const cluster = {
    ...world.cluster,
    recordedInStatus: recorded,
    recordedInAnnotation: recorded,
    ...(bootstrapVersion !== '' && { bootstrapVersion }),
  };
  return { ...world, cluster };
}

function checked(world: Observation, { node, image }: Of<'checkImage'>, seenSince: number): Observation {
  const uid = `imagined-check-${node}-${image}`;
  const detail = image.split(':v').at(-1) ?? '';
  const check = { name: uid, uid, node, image, seenSince, result: 'succeeded', detail } as const;
  return { ...world, imageChecks: [...world.imageChecks, check] };
}

/** The first member of a new cluster. */
function seeded(world: Observation, step: Of<'createSeed'>, now: number): Observation {
  const id = imaginedId(step.name);
  const member: EtcdMember = {
    id,
    name: step.name,
    podName: step.name,
    peerURLs: [addressOf(world, step.name)],
    isLearner: false,
    seenSince: now,
  };
  const clusterId = imaginedId(world.cluster.name);
  const etcd = { ...world.etcd, membership: { kind: 'known', clusterId, members: [member], since: now } as const };
  return withPod({ ...world, etcd }, step, { id, boot: 'new', isLearner: false }, now);
}

function addressOf({ cluster: { name, namespace } }: Observation, member: string): string {
  return `http://${member}.${name}.${namespace}.svc:2380`;
}

function joined(world: Observation, step: Of<'joinMember'>, now: number): Observation {
  const { membership } = world.etcd;
  if (membership.kind !== 'known') return world;
  const id = imaginedId(step.name);
  const { name, learner: isLearner } = step;
  const member: EtcdMember = { id, name, podName: name, peerURLs: [addressOf(world, name)], isLearner, seenSince: now };
  const etcd = { ...world.etcd, membership: { ...membership, members: [...membership.members, member] } };
  return withPod({ ...world, etcd }, step, { id, boot: 'existing', isLearner }, now);
}

function started(world: Observation, step: Of<'createPod'>, now: number): Observation {
  const { membership } = world.etcd;
  const listed = membership.kind === 'known' ? membership.members : (membership.remembered ?? []);
  const member = listed.find(({ id }) => id === step.memberId);
  const isLearner = member?.isLearner ?? false;
  return withPod(world, step, { id: step.memberId, boot: step.boot, isLearner }, now);
}

function withPod(
  world: Observation,
  { name, incarnation, version, image }: Of<'createSeed' | 'joinMember' | 'createPod'>,
  { id, boot, isLearner }: { readonly id: string; readonly boot: MemberPod['boot']; readonly isLearner: boolean },
  now: number,
): Observation {
  const { desired } = world.cluster;
  if ('problems' in desired) return world;
  const isBootstrapCleared = boot === 'cleared';
  const clusterId = world.etcd.membership.kind === 'known' ? world.etcd.membership.clusterId : '';
  const pod: MemberPod = {
    name,
    uid: `imagined-${name}-${now}`,
    resourceVersion: '0',
    ownership: 'ours',
    incarnation,
    clusterId: isBootstrapCleared ? clusterId : '',
    memberId: isBootstrapCleared ? id : '',
    boot,
    bootPeers: [],
    markedVoter: isBootstrapCleared && !isLearner,
    terminating: false,
    phase: 'Running',
    ready: true,
    createdAt: now,
    seenSince: now,
    node: `(node of ${name})`,
    ip: 'imagined',
    image,
    version,
    previousVersion: '',
    previousImage: '',
    previousContainer: '',
    adopted: false,
    data: world.volumes.some((volume) => volume.name === name) ? 'claim' : desired.storage,
    freshVolume: false,
    peerTLS: desired.peerTLS,
    clientTLS: desired.clientTLS,
    container: runningContainer(name, now),
    drift: [],
    snapshotCount: '',
  };
  const volumes =
    desired.storage === 'claim' && !world.volumes.some((volume) => volume.name === name)
      ? [...world.volumes, volumeOf(pod)]
      : world.volumes;
  const answers = new Map(world.etcd.answers).set(name, answerOf(world, { id, isLearner, version, clusterId }, now));
  const pods = [...world.pods.filter((other) => other.name !== name), pod];
  return { ...world, pods, volumes, etcd: { ...world.etcd, answers } };
}

function runningContainer(name: string, startedAt: number): MemberPod['container'] {
  const id = `imagined-${name}-${startedAt}`;
  return {
    id,
    state: 'running',
    reason: '',
    message: '',
    startedAt,
    runningSince: startedAt,
    restarts: 0,
    lastExit: undefined,
  };
}

function volumeOf({ name, incarnation, version, peerTLS, clientTLS }: MemberPod): MemberVolume {
  return {
    name,
    uid: `imagined-volume-${name}`,
    ownership: 'ours',
    incarnation,
    clusterId: '',
    memberId: '',
    version,
    previousVersion: '',
    adopted: false,
    tls: { peer: peerTLS, client: clientTLS },
    terminating: false,
    phase: 'Bound',
  };
}

/** A member that has just started has all data of the leader. */
function answerOf(
  world: Observation,
  member: {
    readonly id: string;
    readonly isLearner: boolean;
    readonly version: string;
    readonly clusterId: string;
  },
  since: number,
): Status {
  const statuses = [...world.etcd.answers.values()].filter((answer) => answer.kind === 'status');
  const model = statuses.find((answer) => answer.leaderId === answer.memberId) ?? statuses[0];
  return {
    kind: 'status',
    memberId: member.id,
    clusterId: member.clusterId,
    version: member.version,
    leaderId: model?.leaderId || member.id,
    leaderlessSince: 0,
    identitySince: since,
    isLearner: member.isLearner,
    revision: model?.revision ?? 1,
    raftIndex: model?.raftIndex ?? 1,
    raftAppliedIndex: model?.raftAppliedIndex ?? 1,
    dbSize: model?.dbSize ?? 0,
    alarms: [],
    since,
    raftSnapshots: 0,
    downgradeTarget: model?.downgradeTarget ?? '',
    storageVersion: model?.storageVersion ?? '',
  };
}

/** A joining member whose process has never run starts with the present member list. */
function renewed(world: Observation, { pod: name }: Of<'renewBootList'>, now: number): Observation {
  const { membership } = world.etcd;
  const listed = membership.kind === 'known' ? membership.members : [];
  const pod = world.pods.find((candidate) => candidate.name === name);
  const member = listed.find(({ podName }) => podName === name);
  if (!pod || !member || membership.kind !== 'known') return world;
  const bootPeers = listed.flatMap(({ peerURLs }) => peerURLs).sort();
  const up = { bootPeers, phase: 'Running', ready: true, container: runningContainer(name, now) } as const;
  const { clusterId } = membership;
  const { id, isLearner } = member;
  const answer = answerOf(world, { id, isLearner, version: pod.version, clusterId }, now);
  const edited = editMembers(
    editPod(world, name, () => up),
    (members) => members.map((one) => (one.id === id ? { ...one, name } : one)),
  );
  return { ...edited, etcd: { ...edited.etcd, answers: new Map(edited.etcd.answers).set(name, answer) } };
}

function withBootstrapCleared(world: Observation, step: Of<'clearBootstrap'>): Observation {
  const { clusterId, memberId, markVoter, version } = step;
  const edited = editPod(world, step.pod, ({ adopted }) => ({
    clusterId,
    memberId,
    markedVoter: markVoter,
    ...(!adopted && { boot: 'cleared' as const }),
  }));
  return step.onVolume ? editVolume(edited, step.pod, () => ({ clusterId, memberId, version })) : edited;
}

function reimaged(world: Observation, step: Of<'setImage'>): Observation {
  const { version, image, snapshotCount, rollbackTo } = step;
  const edited = editPod(world, step.pod, ({ container }) => ({
    image,
    version,
    snapshotCount,
    previousVersion: rollbackTo?.version ?? '',
    previousImage: rollbackTo?.image ?? '',
    previousContainer: rollbackTo ? step.container : '',
    container: { ...container, id: `${container.id}-again` },
  }));
  const onVolume = step.onVolume
    ? editVolume(edited, step.pod, () => ({ version, previousVersion: rollbackTo?.version ?? '' }))
    : edited;
  return editAnswers(onVolume, (_, name) => (name === step.pod ? { version, raftSnapshots: 0 } : {}));
}

function promoted(world: Observation, id: string): Observation {
  const edited = editMembers(world, (members) =>
    members.map((member) => (member.id === id ? { ...member, isLearner: false } : member)),
  );
  return editAnswers(edited, ({ memberId }) => (memberId === id ? { isLearner: false } : {}));
}

/** If the leader is removed, another voter becomes leader first. */
function removed(world: Observation, { memberId, name }: Of<'removeMember'>): Observation {
  const left = editMembers(world, (members) => members.filter(({ id }) => id !== memberId));
  const answers = new Map([...left.etcd.answers].filter(([pod]) => pod !== name));
  const successor = [...answers.values()].find((answer) => answer.kind === 'status' && !answer.isLearner);
  // The etcd of a removed member exits.
  const pods = left.pods.map((pod) => (pod.name === name ? { ...pod, ready: false } : pod));
  const without = { ...left, pods, etcd: { ...left.etcd, answers } };
  if (successor?.kind !== 'status') return without;
  return editAnswers(without, ({ leaderId }) => (leaderId === memberId ? { leaderId: successor.memberId } : {}));
}

function withoutPod(world: Observation, name: string): Observation {
  const answers = new Map([...world.etcd.answers].filter(([pod]) => pod !== name));
  return { ...world, pods: world.pods.filter((pod) => pod.name !== name), etcd: { ...world.etcd, answers } };
}

function editPod(world: Observation, name: string, edit: (pod: MemberPod) => Partial<MemberPod>): Observation {
  return { ...world, pods: world.pods.map((pod) => (pod.name === name ? { ...pod, ...edit(pod) } : pod)) };
}

function editVolume(
  world: Observation,
  name: string,
  edit: (volume: MemberVolume) => Partial<MemberVolume>,
): Observation {
  const volumes = world.volumes.map((volume) => (volume.name === name ? { ...volume, ...edit(volume) } : volume));
  return { ...world, volumes };
}

function editMembers(world: Observation, edit: (members: readonly EtcdMember[]) => readonly EtcdMember[]): Observation {
  const { membership } = world.etcd;
  if (membership.kind !== 'known') return world;
  return { ...world, etcd: { ...world.etcd, membership: { ...membership, members: edit(membership.members) } } };
}

function editAnswers(world: Observation, edit: (answer: Status, name: string) => Partial<Status>): Observation {
  const answers = new Map(
    [...world.etcd.answers].map(([name, answer]) => [
      name,
      answer.kind === 'status' ? { ...answer, ...edit(answer, name) } : answer,
    ]),
  );
  return { ...world, etcd: { ...world.etcd, answers } };
}

/** The cluster version is the oldest minor of all members. */
function withClusterVersion(world: Observation): Observation {
  if (world.etcd.clusterVersion === '') return world;
  const minors = [...world.etcd.answers.values()].flatMap((answer) => {
    const version = answer.kind === 'status' ? parseVersion(answer.version) : undefined;
    return version ? [version.minor] : [];
  });
  return minors.length === 0
    ? world
    : { ...world, etcd: { ...world.etcd, clusterVersion: `3.${Math.min(...minors)}.0` } };
}

/** Sixteen hexadecimal digits computed from a name: always the same, and never one of etcd's own. */
function imaginedId(name: string): string {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 0x1_0000_0000;
  return `f0f0f0f0${hash.toString(16).padStart(8, '0')}`;
}
