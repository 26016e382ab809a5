// SPDX-License-Identifier: Apache-2.0
import { memberAddress, memberNameFromPeerUrl } from '@etcd-operator/etcd';
import { pods } from '@etcd-operator/kube';
import { fieldManager } from '../../api/names.ts';
import { imageCheckPod } from '../objects/image-check-pod.ts';
import type { Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';
import { identityOf } from './cluster-identity.ts';
import {
  deleteBudget,
  deletePod,
  deleteVolume,
  ensureBudget,
  ensureService,
  fencePod,
  findUnseen,
  latchIdentity,
  noteOlderVersion,
  unlessThere,
} from './object-steps.ts';
import {
  createMember,
  disarm,
  renewBootList,
  resizePod,
  setImage,
  setSnapshotCount,
  settleImage,
  updatePod,
} from './pod-steps.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

/** Carries out one step. Throws what is nobody's answer: the caller stops and looks again. */
export function act(step: Step, context: ActContext): Promise<StepOutcome> {
  switch (step.do) {
    case 'ensureService':
      return ensureService(step, context);
    case 'ensureBudget':
      return ensureBudget(step, context);
    case 'deleteBudget':
      return deleteBudget(context);
    case 'latchIdentity':
      return latchIdentity(step, context);
    case 'createSeed':
      return createMember({ ...newMember(step), boot: { state: 'new' } }, context);
    case 'joinMember':
      return joinMember(step, context);
    case 'createPod':
      return createListedPod(step, context);
    case 'disarm':
      return disarm(step, context);
    case 'removeMember':
      return removeMember(step, context);
    case 'renewBootList':
      return renewBootList(step, bootList(listedMembers(context)), context);
    case 'deletePod':
      return deletePod(step, context);
    case 'deleteVolume':
      return deleteVolume(step, context);
    case 'fencePod':
    case 'unfencePod':
      return fencePod(step, context);
    case 'checkImage':
      return checkImage(step, context);
    case 'deleteImageCheck':
      return deletePod({ do: 'deletePod', name: step.name, uid: step.uid, force: true }, context);
    case 'updatePod':
    case 'setImage':
    case 'settleImage':
    case 'setSnapshotCount':
    case 'resizePod':
      return changePod(step, context);
    case 'promote':
    case 'moveLeader':
    case 'readdress':
    case 'nudgeSnapshot':
    case 'enableDowngrade':
    case 'cancelDowngrade':
      return changeEtcd(step, context);
  }
}

/** What a living pod gets. */
function changePod(
  step: Of<'updatePod' | 'setImage' | 'settleImage' | 'setSnapshotCount' | 'resizePod'>,
  context: ActContext,
): Promise<StepOutcome> {
  switch (step.do) {
    case 'updatePod':
      return updatePod(step, context);
    case 'setImage':
      return setImage(step, context);
    case 'settleImage':
      return settleImage(step, context);
    case 'setSnapshotCount':
      return setSnapshotCount(step, context);
    case 'resizePod':
      return resizePod(step, context);
  }
}

type EtcdStep = Of<'promote' | 'moveLeader' | 'readdress' | 'nudgeSnapshot' | 'enableDowngrade' | 'cancelDowngrade'>;

/** What etcd alone is asked for. */
function changeEtcd(step: EtcdStep, context: ActContext): Promise<StepOutcome> {
  const { etcd } = context;
  switch (step.do) {
    case 'promote':
      return etcd.memberPromote(step.memberId);
    case 'moveLeader':
      return etcd.moveLeader(step.from, step.to);
    case 'readdress':
      return etcd.memberUpdate(step.memberId, peerUrlOf(step.name, context));
    case 'nudgeSnapshot':
      return etcd.writeHarmlessEntries(step.entries);
    case 'enableDowngrade':
      return enableDowngrade(step, context);
    case 'cancelDowngrade':
      return etcd.cancelDowngrade();
  }
}

/**
 * A member may be taken for dead because the cache is behind, or because somebody took the labels off its pod or its volume:
 * nothing is given up that the plan did not see.
 */
async function removeMember(step: Of<'removeMember'>, context: ActContext): Promise<StepOutcome> {
  const unseen = step.because === 'dead' ? await findUnseen(step.name, context) : undefined;
  return unseen
    ? { kind: 'refused', why: `${step.name} is not given up: ${unseen}` }
    : context.etcd.memberRemove(step.memberId);
}

/** etcd first, then volume and pod, in one breath: a member that is listed has a name to resolve as soon as can be. */
async function joinMember(step: Of<'joinMember'>, context: ActContext): Promise<StepOutcome> {
  const added = await context.etcd.memberAdd(peerUrlOf(step.name, context), step.learner);
  if ('kind' in added) return added;
  return createMember({ ...newMember(step), boot: { state: 'existing', members: bootList(added.members) } }, context);
}

/** Written down first: from then on the log may hold entries of a version older than the one the cluster was born with. */
async function enableDowngrade({ version }: Of<'enableDowngrade'>, context: ActContext): Promise<StepOutcome> {
  const noted = await noteOlderVersion(version, context);
  return noted.kind === 'done' ? context.etcd.enableDowngrade(version) : noted;
}

function newMember({ name, incarnation, version, image }: Of<'createSeed' | 'joinMember' | 'createPod'>) {
  return { name, incarnation, release: { version, image } };
}

async function createListedPod(step: Of<'createPod'>, context: ActContext): Promise<StepOutcome> {
  const { memberId, onVolume, wayBack, asRoot: ownsFilesAsRoot } = step;
  if (step.boot === 'existing') {
    const members = bootList(listedMembers(context));
    return createMember({ ...newMember(step), boot: { state: 'existing', members } }, context);
  }
  const identity = { clusterId: context.clusterId, memberId };
  const isVoter = !context.members.some((member) => member.id === memberId && member.isLearner);
  const found = { identity, isVoter, onVolume, ownsFilesAsRoot, wayBack };
  return createMember({ ...newMember(step), boot: { state: 'disarmed' }, ...found }, context);
}

function listedMembers({ members }: ActContext) {
  return members.map((member) => ({ name: member.name, peerUrls: member.peerURLs }));
}

/** Members that have not started have no name yet; it is in their address. */
function bootList(members: readonly { readonly name: string; readonly peerUrls: readonly string[] }[]) {
  return members.flatMap(({ name, peerUrls }) =>
    peerUrls.map((peerUrl) => {
      const found = memberNameFromPeerUrl(peerUrl);
      return { name: name || (found.ok ? found.name : peerUrl), peerUrl };
    }),
  );
}

function peerUrlOf(name: string, { cluster, desired }: ActContext): string {
  const { name: clusterName, namespace } = identityOf(cluster);
  const place = { member: name, cluster: clusterName, namespace, clusterDomain: desired.clusterDomain };
  return memberAddress(place, { peer: desired.peerTLS, client: desired.clientTLS }).peerUrl;
}

async function checkImage(step: Of<'checkImage'>, { client, cluster, signal }: ActContext): Promise<StepOutcome> {
  const pod = imageCheckPod(identityOf(cluster), cluster.spec, step.node, step.image);
  await unlessThere(client.resource(pods).create(pod, { fieldManager, signal }));
  return done;
}
