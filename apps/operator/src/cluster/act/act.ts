// SPDX-License-Identifier: Apache-2.0
import { memberAddress, memberNameFromPeerUrl } from '@operator-parts/etcd';
import { createIfAbsent, pods } from '@operator-parts/kube';
import { fieldManager } from '../../api/names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { imageCheckPod } from '../objects/image-check-pod.ts';
import type { Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';
import {
  deleteBudget,
  deletePod,
  deleteVolume,
  ensureBudget,
  ensureService,
  findUncached,
  isolatePod,
  noteOlderVersion,
  recordIdentity,
} from './object-steps.ts';
import {
  clearBootstrap,
  confirmImage,
  createMember,
  type NewMember,
  renewBootList,
  resizePod,
  setImage,
  setSnapshotCount,
  updatePod,
  whyNotTaken,
} from './pod-steps.ts';
import { recoverQuorum } from './recover-quorum.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

/** Carries out one step. Throws unexpected failures; the caller then stops and observes again. */
export function act(step: Step, context: ActContext): Promise<StepOutcome> {
  switch (step.do) {
    case 'ensureService':
      return ensureService(step, context);
    case 'ensureBudget':
      return ensureBudget(step, context);
    case 'deleteBudget':
      return deleteBudget(context);
    case 'recordIdentity':
      return recordIdentity(step, context);
    case 'createSeed':
      return createMember({ ...newMember(step), boot: { state: 'new' } }, context);
    case 'joinMember':
      return joinMember(step, context);
    case 'createPod':
      return createMember(listedMember(step, context), context);
    case 'clearBootstrap':
      return clearBootstrap(step, context);
    case 'removeMember':
      return removeMember(step, context);
    case 'renewBootList':
      return renewBootList(step, bootList(listedMembers(context)), context);
    case 'deletePod':
      return deleteReplaceablePod(step, context);
    case 'deleteVolume':
      return deleteVolume(step, context);
    case 'isolatePod':
    case 'unisolatePod':
      return isolatePod(step, context);
    case 'recoverQuorum':
      return recoverQuorum(step, context);
    case 'checkImage':
      return checkImage(step, context);
    case 'deleteImageCheck':
      return deletePod({ do: 'deletePod', name: step.name, uid: step.uid, force: true }, context);
    case 'updatePod':
    case 'setImage':
    case 'confirmImage':
    case 'setSnapshotCount':
    case 'resizePod':
      return changePod(step, context);
    case 'promote':
    case 'moveLeader':
    case 'readdress':
    case 'nudgeSnapshot':
    case 'enableDowngrade':
    case 'cancelDowngrade':
    case 'disarmAlarm':
      return changeEtcd(step, context);
  }
}

/** Steps that change a running pod. */
function changePod(
  step: Of<'updatePod' | 'setImage' | 'confirmImage' | 'setSnapshotCount' | 'resizePod'>,
  context: ActContext,
): Promise<StepOutcome> {
  switch (step.do) {
    case 'updatePod':
      return updatePod(step, context);
    case 'setImage':
      return setImage(step, context);
    case 'confirmImage':
      return confirmImage(step, context);
    case 'setSnapshotCount':
      return setSnapshotCount(step, context);
    case 'resizePod':
      return resizePod(step, context);
  }
}

type EtcdStep = Of<
  'promote' | 'moveLeader' | 'readdress' | 'nudgeSnapshot' | 'enableDowngrade' | 'cancelDowngrade' | 'disarmAlarm'
>;

/** Steps that need only etcd. */
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
    case 'disarmAlarm':
      return etcd.disarmAlarm(step.memberId, step.alarm);
  }
}

/**
 * A member may look dead only because the cache is behind, or because the labels of its pod or volume were removed. So the member is not
 * removed if the API server has a pod or volume of this member that the plan did not see.
 */
async function removeMember(step: Of<'removeMember'>, context: ActContext): Promise<StepOutcome> {
  const unseen = step.because !== 'scale' ? await findUncached(step.name, context) : undefined;
  return unseen
    ? { kind: 'refused', why: `Member ${step.name} is not removed: ${unseen}.` }
    : context.etcd.memberRemove(step.memberId);
}

/**
 * Adds the member to etcd first, then creates its volume and pod at once, so that the name of the listed member resolves as soon as
 * possible. A voter counts for quorum as soon as etcd lists it. So for a voter, the API server is asked first whether it would accept the
 * pod.
 */
async function joinMember(step: Of<'joinMember'>, context: ActContext): Promise<StepOutcome> {
  if (!step.learner) {
    const members = bootList(listedMembers(context));
    const why = await whyNotTaken({ ...newMember(step), boot: { state: 'existing', members } }, context);
    if (why !== undefined)
      return {
        kind: 'impossible',
        why: `member ${step.name} is not added: the API server would refuse its pod: ${why}`,
      };
  }
  const added = await context.etcd.memberAdd(peerUrlOf(step.name, context), step.learner);
  if ('kind' in added) return added;
  return createMember({ ...newMember(step), boot: { state: 'existing', members: bootList(added.members) } }, context);
}

/**
 * Records the version before the downgrade begins. From then on the raft log may hold entries of a version that is older than the version
 * with which the cluster was bootstrapped.
 */
async function enableDowngrade({ version }: Of<'enableDowngrade'>, context: ActContext): Promise<StepOutcome> {
  const noted = await noteOlderVersion(version, context);
  return noted.kind === 'done' ? context.etcd.enableDowngrade(version) : noted;
}

function newMember({ name, incarnation, version, image }: Of<'createSeed' | 'joinMember' | 'createPod'>) {
  return { name, incarnation, release: { version, image } };
}

/**
 * Keeps a working pod if the API server would refuse its replacement, for example because of a field that only the API server can validate.
 */
async function deleteReplaceablePod(step: Of<'deletePod'>, context: ActContext): Promise<StepOutcome> {
  const { name, successor } = step;
  const why = successor && (await whyNotTaken(listedMember(successor, context), context));
  if (why === undefined) return deletePod(step, context);
  return { kind: 'impossible', why: `pod/${name} is kept: the API server would refuse its new pod: ${why}` };
}

function listedMember(step: Of<'createPod'>, context: ActContext): NewMember {
  const { memberId, onVolume, rollbackTo, asRoot: ownsFilesAsRoot } = step;
  if (step.boot === 'existing') {
    const members = bootList(listedMembers(context));
    return { ...newMember(step), boot: { state: 'existing', members } };
  }
  const identity = { clusterId: context.clusterId, memberId };
  const isVoter = !context.members.some((member) => member.id === memberId && member.isLearner);
  const found = { identity, isVoter, onVolume, ownsFilesAsRoot, rollbackTo };
  return { ...newMember(step), boot: { state: 'cleared' }, ...found };
}

function listedMembers({ members }: ActContext) {
  return members.map((member) => ({ name: member.name, peerUrls: member.peerURLs }));
}

/** A member that has not started has no name in the member list yet. Then its name is taken from its peer URL. */
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
  await createIfAbsent(client.resource(pods).create(pod, { fieldManager, signal }));
  return done;
}
