// SPDX-License-Identifier: Apache-2.0
import { addFinalizerPatch, removeFinalizerPatch } from '@operator-parts/controller-runtime';
import { createIfAbsent, type Patch, persistentVolumeClaims, pods, secrets } from '@operator-parts/kube';
import { etcdRestores } from '../../api/etcd-restore.ts';
import { fieldManager, labels } from '../../api/names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { keyBytes } from '../delivery/channel.ts';
import { restoreSecret } from '../objects/restore-secret.ts';
import { restoreFinalizer } from '../observe/restore-facts.ts';
import type { RestoreStep } from '../plan/step.ts';
import { type ActContext, ignoreIfDeleted } from './act-context.ts';
import { createCluster, deleteCluster, mark, recordIdentity, unmark } from './cluster-steps.ts';
import { deleteOwnSecret } from './delete-own-secret.ts';
import { createHolder, settleHolder } from './holder-steps.ts';
import { createSeed, settleSeed } from './seed-steps.ts';
import { startMember } from './start-member.ts';

/** Carries out one step. Throws the error if Kubernetes rejects a request; the next reconciliation then observes the restore again. */
export async function act(step: RestoreStep, context: ActContext): Promise<void> {
  switch (step.do) {
    case 'inspect':
      return context.jobs.inspect();
    case 'verify':
      return context.jobs.verify();
    case 'save':
      return context.jobs.save(step);
    case 'deliver':
      return context.jobs.deliver(step.ip, step.agent);
    case 'createHolder':
      return createHolder(step, context);
    case 'settleHolder':
      return ignoreIfDeleted(settleHolder(step, context));
    case 'hold':
      return context.jobs.hold(step.member, step.ip);
    case 'compare':
      return context.jobs.compare();
    case 'write':
      return context.jobs.write();
    case 'addFinalizer':
      // The API server refuses this if the EtcdRestore was deleted. Then the later steps must not run, because nothing would roll them
      // back.
      return patchRestore(addFinalizerPatch(context.restore, restoreFinalizer), context);
    case 'removeFinalizer':
      return ignoreIfDeleted(patchRestore(removeFinalizerPatch(context.restore, restoreFinalizer), context));
    case 'createCluster':
      return createCluster(step, context);
    case 'deleteCluster':
      return deleteCluster(step, context);
    case 'mark':
      return mark(step, context);
    case 'unmark':
      return unmark(step, context);
    case 'recordIdentity':
      return recordIdentity(step, context);
    case 'createSeed':
      return createSeed(step, context);
    case 'settleSeed':
      return settleSeed(step, context);
    case 'startMember':
      return startMember(step, context);
    case 'isolatePod':
    case 'unisolatePod':
      return relabel(step, context);
    case 'keepVolume':
      return keepVolume(step, context);
    case 'createSecret':
    case 'deleteSecret':
    case 'deletePod':
    case 'deleteVolume':
      return changeHelper(step, context);
  }
}

type HelperStep = Extract<RestoreStep, { do: 'createSecret' | 'deleteSecret' | 'deletePod' | 'deleteVolume' }>;

async function changeHelper(step: HelperStep, { client, restore, random, signal }: ActContext): Promise<void> {
  const identity = identityOf(restore);
  const { namespace } = identity;
  switch (step.do) {
    case 'createSecret':
      await createIfAbsent(
        client.resource(secrets).create(restoreSecret(identity, random.bytes(keyBytes)), { fieldManager, signal }),
      );
      return;
    case 'deleteSecret':
      return deleteOwnSecret(client, identity, signal);
    case 'deletePod':
    case 'deleteVolume': {
      const resource = step.do === 'deletePod' ? client.resource(pods) : client.resource(persistentVolumeClaims);
      const seen = step.do === 'deletePod' && step.resourceVersion;
      const options = { preconditions: { uid: step.uid, ...(seen && { resourceVersion: seen }) }, signal };
      return ignoreIfDeleted(resource.delete({ namespace, name: step.name }, options));
    }
  }
}

/**
 * Removes the label by which Services select a member's pod, or sets it again. Without the label, no Service has the pod as an endpoint.
 * The process and the data of the pod stay.
 */
async function relabel(
  { do: what, name, uid }: Extract<RestoreStep, { do: 'isolatePod' | 'unisolatePod' }>,
  { client, restore, signal }: ActContext,
): Promise<void> {
  const { namespace } = identityOf(restore);
  const app = what === 'isolatePod' ? null : 'etcd';
  const patch = { metadata: { uid, labels: { [labels.app]: app } } };
  await ignoreIfDeleted(
    client.resource(pods).patch({ namespace, name }, { type: 'merge', patch }, { fieldManager, signal }),
  );
}

async function keepVolume(
  { name, uid }: Extract<RestoreStep, { do: 'keepVolume' }>,
  { client, restore, signal }: ActContext,
): Promise<void> {
  const { namespace, uid: restoreUid } = identityOf(restore);
  const patch = { metadata: { uid, labels: { [labels.keptByRestore]: restoreUid } } };
  const claims = client.resource(persistentVolumeClaims);
  await ignoreIfDeleted(claims.patch({ namespace, name }, { type: 'merge', patch }, { fieldManager, signal }));
}

async function patchRestore(patch: Patch | undefined, { client, restore, signal }: ActContext): Promise<void> {
  if (!patch) return;
  const { namespace, name } = identityOf(restore);
  await client.resource(etcdRestores.resource).patch({ namespace, name }, patch, { fieldManager, signal });
}
