// SPDX-License-Identifier: Apache-2.0
import { joinsAsLearner, quorum, versionOf } from '@operator-parts/etcd';
import type { MemberPod } from '../../observation.ts';
import type { Step } from '../step.ts';
import { changesVoters } from './changes-voters.ts';
import { faultsOfVoters, isKnownWrong, soundVoters } from './data-faults.ts';
import { SafetyViolation } from './model-etcd.ts';
import { recoverQuorum } from './model-recovery.ts';
import type { World } from './world.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;
type PodStep = Of<
  | 'clearBootstrap'
  | 'renewBootList'
  | 'deletePod'
  | 'updatePod'
  | 'isolatePod'
  | 'unisolatePod'
  | 'resizePod'
  | 'setImage'
  | 'confirmImage'
  | 'setSnapshotCount'
>;
type EtcdStep = Of<
  | 'joinMember'
  | 'promote'
  | 'removeMember'
  | 'readdress'
  | 'moveLeader'
  | 'nudgeSnapshot'
  | 'enableDowngrade'
  | 'cancelDowngrade'
  | 'disarmAlarm'
>;

/** `half`: the process dies in the middle of the step. */
export type Extent = 'whole' | 'half';

/**
 * Carries out one step in the model, with the preconditions of the real servers. False if the step was refused: then nothing has changed,
 * and the later steps of the plan are not carried out.
 */
export function applyStep(world: World, step: Step, extent: Extent = 'whole'): boolean {
  world.log.push(step.do);
  const before = world.hasQuorum();
  const voters = world.etcd.voters().length;
  const done = change(world, step, extent);
  world.settle();
  const stops = changesVoters(step) || step.do === 'setImage' || step.do === 'deletePod';
  if (before && stops && !world.hasQuorum() && voters > 2 && done)
    throw new SafetyViolation(`${step.do} takes the quorum away`);
  return done;
}

function change(world: World, step: Step, extent: Extent): boolean {
  switch (step.do) {
    case 'ensureService':
      world.services = { ...world.services, [step.which]: 'current' };
      return true;
    case 'ensureBudget':
      world.minAvailable = step.minAvailable;
      return true;
    case 'deleteBudget':
      world.minAvailable = undefined;
      return true;
    case 'recordIdentity':
      return recordIdentity(world, step, extent);
    case 'createSeed':
      world.makePod(step.name, { boot: 'new', version: step.version, image: step.image });
      return true;
    case 'createPod':
      return createPod(world, step);
    case 'recoverQuorum':
      return recoverQuorum(world, step);
    case 'checkImage':
      world.imageChecks.set(`check-${step.node}-${step.image}`, {
        node: step.node,
        image: step.image,
        createdAt: world.now,
      });
      return true;
    case 'deleteImageCheck':
      return world.imageChecks.delete(step.name);
    case 'deleteVolume':
      return deleteVolume(world, step);
    case 'clearBootstrap':
    case 'renewBootList':
    case 'deletePod':
    case 'updatePod':
    case 'isolatePod':
    case 'unisolatePod':
    case 'resizePod':
    case 'setImage':
    case 'confirmImage':
    case 'setSnapshotCount':
      return changePod(world, step, extent);
    case 'joinMember':
    case 'promote':
    case 'removeMember':
    case 'readdress':
    case 'moveLeader':
    case 'nudgeSnapshot':
    case 'enableDowngrade':
    case 'cancelDowngrade':
    case 'disarmAlarm':
      return changeEtcd(world, step, extent);
  }
}

function recordIdentity(world: World, step: Of<'recordIdentity'>, extent: Extent): boolean {
  if (step.clusterId !== world.etcd.clusterId)
    throw new SafetyViolation(`cluster ${step.clusterId} is recorded, and the members are ${world.etcd.clusterId}`);
  world.inAnnotation = { clusterId: step.clusterId, incarnation: step.incarnation };
  if (step.bootstrapVersion !== '') world.bootstrapVersion = step.bootstrapVersion;
  if (extent === 'half') return false;
  world.status = { ...world.status, clusterID: step.clusterId, incarnation: step.incarnation };
  return true;
}

function createPod(world: World, step: Of<'createPod'>): boolean {
  const { name, boot, memberId, version, image, onVolume, rollbackTo } = step;
  const isBootstrapCleared = boot === 'cleared';
  const identity = isBootstrapCleared ? { memberId, clusterId: world.etcd.clusterId, markedVoter: true } : {};
  const previous = { previousVersion: rollbackTo?.version ?? '', previousImage: rollbackTo?.image ?? '' };
  world.makePod(name, { boot, version, image, ...identity, ...previous }, onVolume);
  return true;
}

function deleteVolume(world: World, { name, uid }: Of<'deleteVolume'>): boolean {
  const volume = world.volumes.get(name);
  if (volume?.uid !== uid) return false;
  const held = world.directories.get(`volume/${uid}`)?.memberId;
  if (world.members.some((member) => member.id === held || member.id === volume.memberId))
    throw new SafetyViolation(`the volume of member ${name} is deleted`);
  world.deleteVolume(name);
  return true;
}

function changePod(world: World, step: PodStep, extent: Extent): boolean {
  switch (step.do) {
    case 'clearBootstrap':
      return clearBootstrap(world, step, extent);
    case 'renewBootList':
      return edit(world, step.pod, step.uid, ({ facts }) => {
        facts.bootPeers = world.etcd.peerUrls();
      });
    case 'deletePod':
      return deletePod(world, step);
    case 'updatePod':
      return edit(world, step.name, step.uid, (pod) => {
        if (!world.isStripping) pod.inside.labels = world.labels;
      });
    case 'isolatePod':
    case 'unisolatePod':
    case 'resizePod':
      return true;
    case 'setImage':
      return setImage(world, step);
    case 'confirmImage':
      return edit(world, step.pod, step.uid, ({ facts }) => {
        const volume = world.volumes.get(step.pod);
        if (step.onVolume && volume) Object.assign(volume, { version: step.version, previousVersion: '' });
        Object.assign(facts, { previousVersion: '', previousImage: '', previousContainer: '' });
      });
    case 'setSnapshotCount':
      return edit(world, step.pod, step.uid, ({ facts }) => {
        facts.snapshotCount = step.snapshotCount;
      });
  }
}

function edit(
  world: World,
  name: string,
  uid: string,
  change: (pod: NonNullable<ReturnType<World['pods']['get']>>) => void,
) {
  const pod = world.pods.get(name);
  if (pod?.facts.uid !== uid) return false;
  change(pod);
  world.touch(pod);
  return true;
}

function clearBootstrap(world: World, step: Of<'clearBootstrap'>, extent: Extent): boolean {
  const volume = world.volumes.get(step.pod);
  const identity = { clusterId: step.clusterId, memberId: step.memberId };
  if (step.onVolume && volume) Object.assign(volume, identity, { version: step.version });
  if (extent === 'half' || world.pods.get(step.pod)?.facts.resourceVersion !== step.resourceVersion) return false;
  return edit(world, step.pod, step.uid, ({ facts, inside }) => {
    const cleared: Partial<MemberPod> = facts.adopted ? {} : { boot: 'cleared' };
    inside.isBootstrapSetByHand = false;
    const recorded = step.bootstrapVersion ? { bootstrapVersion: step.bootstrapVersion } : {};
    Object.assign(facts, { ...cleared, ...identity, ...recorded, markedVoter: step.markVoter });
  });
}

function deletePod(world: World, { name, uid, force, resourceVersion }: Of<'deletePod'>): boolean {
  const facts = world.pods.get(name)?.facts;
  if (facts?.uid !== uid) return false;
  if (resourceVersion !== undefined && facts.resourceVersion !== resourceVersion) return false;
  if (force) world.removePod(name);
  else world.deletePod(name);
  return true;
}

function setImage(world: World, step: Of<'setImage'>): boolean {
  const pod = world.pods.get(step.pod);
  if (pod?.facts.uid !== step.uid || pod.facts.resourceVersion !== step.resourceVersion) return false;
  const volume = world.volumes.get(step.pod);
  const previousVersion = step.rollbackTo?.version ?? '';
  if (step.onVolume && volume) Object.assign(volume, { version: step.version, previousVersion });
  if (pod.facts.adopted) throw new SafetyViolation(`the image of adopted pod ${step.pod} is patched`);
  Object.assign(pod.facts, {
    image: step.image,
    version: step.version,
    snapshotCount: step.snapshotCount,
    previousVersion: step.rollbackTo?.version ?? '',
    previousImage: step.rollbackTo?.image ?? '',
    previousContainer: step.rollbackTo ? step.container : '',
  });
  world.touch(pod);
  return true;
}

function changeEtcd(world: World, step: EtcdStep, extent: Extent): boolean {
  const { etcd } = world;
  switch (step.do) {
    case 'joinMember':
      return joinMember(world, step, extent);
    case 'promote':
      return promote(world, step.memberId);
    case 'removeMember':
      return removeMember(world, step);
    case 'moveLeader':
      if (etcd.leaderId !== step.from || !world.processes().has(step.to)) return false;
      if (etcd.members.some((member) => member.id === step.to && member.isLearner)) return false;
      etcd.leaderId = step.to;
      return true;
    case 'nudgeSnapshot':
      return nudge(world, step.entries);
    case 'enableDowngrade':
      etcd.downgradeTo = Number(step.version.split('.')[1]);
      if (Number(world.bootstrapVersion?.split('.')[1]) > etcd.downgradeTo) world.bootstrapVersion = step.version;
      return true;
    case 'cancelDowngrade':
      etcd.downgradeTo = 0;
      return true;
    case 'disarmAlarm':
      return disarmAlarm(world, step);
    case 'readdress':
      // Members in the model have no addresses of their own.
      return true;
  }
}

function disarmAlarm(world: World, { alarm, memberId }: Of<'disarmAlarm'>): boolean {
  const faults = faultsOfVoters(world);
  if (alarm === 'CORRUPT' && new Set(faults.values()).size > 1)
    throw new SafetyViolation('CORRUPT is cleared while voters differ');
  world.alarms = world.alarms.filter((raised) => raised.alarm !== alarm || raised.memberId !== memberId);
  return true;
}

function joinMember(world: World, step: Of<'joinMember'>, extent: Extent): boolean {
  const { etcd } = world;
  if (etcd.members.some((member) => member.podName === step.name)) return false;
  const kind = step.learner ? 'addLearner' : 'addVoter';
  if (etcd.refuses({ kind }, world.processes(), world.now) !== undefined) return false;
  const present = etcd.voters().filter((member) => world.processes().has(member.id));
  const own = present.flatMap((member) =>
    world.unmanaged.has(member.id) ? [] : (world.processes().get(member.id) ?? []),
  );
  if (!step.learner && [...own.map(({ version }) => version), versionOf(step.version)].every(joinsAsLearner))
    throw new SafetyViolation(`${step.name} joins as a voter, although it could join as a learner`);
  etcd.members.push({ id: etcd.newId(), podName: step.name, addedAt: world.now, name: '', isLearner: step.learner });
  if (extent === 'half') return false;
  world.makePod(step.name, { boot: 'existing', version: step.version, image: step.image });
  return true;
}

function promote(world: World, id: string): boolean {
  const member = world.members.find((candidate) => candidate.id === id);
  const process = world.processes().get(id);
  if (!member?.isLearner || !process) return false;
  const inSync = process.directory.log >= world.etcd.acknowledged * 0.9;
  if (world.etcd.refuses({ kind: 'promote', id, inSync }, world.processes(), world.now) !== undefined) return false;
  if (world.pods.get(member.podName)?.facts.boot !== 'cleared')
    throw new SafetyViolation(`${member.podName} becomes a voter with its bootstrap configuration`);
  if (isKnownWrong(world, process.directory.fault) || (world.isCorrupt && soundVoters(world).length === 0))
    throw new SafetyViolation(`${member.podName} becomes a voter with wrong data`);
  member.isLearner = false;
  return true;
}

function removeMember(world: World, { memberId: id, because }: Of<'removeMember'>): boolean {
  const member = world.members.find((candidate) => candidate.id === id);
  if (!member) return true;
  if (!world.hasQuorum()) return false;
  const isEnding = world.pods.get(member.podName)?.facts.terminating;
  if (because === 'corrupt' && !member.isLearner) guardSound(world, id);
  if (because === 'dead' && !member.isLearner && world.processes().has(id) && !isEnding)
    throw new SafetyViolation(`voter ${member.podName} lives and is removed as dead`);
  if (because === 'dead' && !member.isLearner && isHasty(world, member))
    throw new SafetyViolation(`voter ${member.podName} is removed as dead before it could return`);
  if (world.etcd.refuses({ kind: 'remove', id }, world.processes(), world.now) !== undefined) return false;
  const others = world.etcd.voters().filter((voter) => voter.id !== id);
  const present = others.filter((voter) => world.processes().has(voter.id)).length;
  if (!member.isLearner && present < quorum(others.length))
    throw new SafetyViolation(`removing ${member.podName} loses quorum`);
  world.etcd.remove(id);
  return true;
}

/**
 * True if the member is removed too early: its data exists, and there has been a quorum for less than `replaceAfter`, or for less than a
 * minute if `replaceAfter` is longer than a minute.
 */
function isHasty(world: World, { id, podName }: { readonly id: string; readonly podName: string }): boolean {
  const pod = world.pods.get(podName);
  if (!pod || pod.facts.phase === 'Failed' || (pod.facts.terminating && pod.facts.data !== 'claim')) return false;
  if (world.directories.get(world.placeOf(pod))?.memberId !== id) return false;
  return world.now - (world.quorumSince ?? world.now) < Math.min(60_000, world.desired.replaceAfter);
}

/** A voter may be removed for its data only if the data differs from what a strict majority of the voters has. */
function guardSound(world: World, id: string): void {
  const sound = soundVoters(world);
  if (sound.length === 0 || sound.includes(id))
    throw new SafetyViolation(`voter ${id} is removed as corrupt, and no majority holds other data`);
}

/** A member takes a snapshot after as many entries as its snapshot count; older entries are then deleted from its log. */
function nudge(world: World, entries: number): boolean {
  for (const pod of world.pods.values()) {
    const process = world.processOf(pod);
    if (!process) continue;
    const needed = pod.facts.snapshotCount === '' ? 1_000 : Number(pod.facts.snapshotCount);
    if (entries < needed) continue;
    pod.inside.snapshots++;
    process.directory.logMinor = process.version.minor;
  }
  return true;
}
