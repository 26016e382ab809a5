// SPDX-License-Identifier: Apache-2.0
import { createIfAbsent, type ObjectMeta, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { annotations, fieldManager, labels } from '../../api/names.ts';
import { volumeClaim } from '../../cluster/objects/volume-claim.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { secretNameOf } from '../objects/restore-secret.ts';
import { restoreSwitch, seedPod } from '../objects/seed-pod.ts';
import { bumpForTool } from '../plan/fit.ts';
import type { RestoreStep } from '../plan/step.ts';
import type { ActContext } from './act-context.ts';

type Of<K extends RestoreStep['do']> = Extract<RestoreStep, { do: K }>;

/** Creates the volume first, then the pod. After a crash, both may exist already. */
export async function createSeed(
  { name, incarnation, above, data }: Of<'createSeed'>,
  context: ActContext,
): Promise<void> {
  const { client, cluster, desired, source, restore, signal } = context;
  if (!cluster || !desired || !source)
    throw new Error('the first member cannot be created: the EtcdCluster or the verified backup is missing');
  const identity = identityOf(cluster);
  const claim = cluster.spec.pod?.persistentVolumeClaimSpec;
  if (desired.storage === 'claim' && claim) {
    const volume = volumeClaim(identity, { name, incarnation }, desired, claim);
    await createIfAbsent(client.resource(persistentVolumeClaims).create(volume, { fieldManager, signal }));
  }
  const member = { cluster: identity, desired, spec: cluster.spec, name, incarnation, tlsKeys: context.tlsKeys };
  const pod = seedPod(member, {
    restoreUid: identityOf(restore).uid,
    secretName: secretNameOf(identityOf(restore)),
    agent: context.agent,
    revisionBump: bumpForTool({ ...source, ...data }, context.revisionBump, above),
  });
  await createIfAbsent(client.resource(pods).create(pod, { fieldManager, signal }));
}

/**
 * The restore tool is disabled before a cluster ID is recorded anywhere. Once an ID is recorded, the etcd-operator manages the new
 * incarnation, and no data may be restored again. The volume gets the ID before the pod does, because an ID on the pod shows that this step
 * is complete.
 */
export async function settleSeed(step: Of<'settleSeed'>, { client, restore, signal }: ActContext): Promise<void> {
  const { namespace } = identityOf(restore);
  const { name, uid, clusterId, memberId } = step;
  const identity = { [annotations.clusterId]: clusterId, [annotations.memberId]: memberId };
  const off = { [annotations.restoreSwitch]: restoreSwitch.done };
  const options = { fieldManager, signal };
  const patchPod = async (metadata: ObjectMeta) => {
    const patch = { metadata: { uid, ...metadata } };
    return client.resource(pods).patch({ namespace, name }, { type: 'merge', patch }, options);
  };
  let { resourceVersion } = step;
  if (step.volumeUid !== undefined) {
    const { metadata } = await patchPod({ resourceVersion, annotations: off });
    resourceVersion = metadata?.resourceVersion ?? resourceVersion;
    const patch = { metadata: { uid: step.volumeUid, annotations: identity } };
    await client.resource(persistentVolumeClaims).patch({ namespace, name }, { type: 'merge', patch }, options);
  }
  await patchPod({ resourceVersion, annotations: { ...identity, ...off }, labels: { [labels.voter]: 'true' } });
}
