// SPDX-License-Identifier: Apache-2.0
import { createIfAbsent, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { fieldManager } from '../../api/names.ts';
import { releaseOfVersion } from '../../cluster/plan/rolling/member-release.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { snapshotPod } from '../objects/snapshot-pod.ts';
import { survivorPod } from '../objects/survivor-pod.ts';
import type { RestoreStep } from '../plan/step.ts';
import { RestoreError } from '../restore-error.ts';
import type { ActContext } from './act-context.ts';

/**
 * Starts a member on its volume, with the etcd version that last used the volume: another version might be unable to open the data, or
 * might change it.
 */
export async function startMember(
  { name, volumeUid, incarnation, member, held }: Extract<RestoreStep, { do: 'startMember' }>,
  { client, cluster, desired, restore, tlsKeys, agent, signal }: ActContext,
): Promise<void> {
  if (!cluster || !desired)
    throw new Error('the member cannot be started: its EtcdCluster does not exist or is invalid');
  const identity = identityOf(cluster);
  const { namespace } = identity;
  const { metadata } = await client.resource(persistentVolumeClaims).get({ namespace, name }, { signal });
  if (metadata?.uid !== volumeUid || metadata.deletionTimestamp !== undefined)
    throw new RestoreError('NotSaved', `pvc/${name} was deleted or replaced during the restore`);
  const release = releaseOfVersion(desired, member.version || desired.version);
  const options = {
    cluster: identity,
    desired: { ...desired, ...release, storage: 'claim' },
    spec: cluster.spec,
    name,
    incarnation,
    identity: { clusterId: member.clusterId, memberId: member.memberId },
    ownsFilesAsRoot: member.asRoot,
    tlsKeys,
  } as const;
  const { uid } = identityOf(restore);
  const pod = restore.spec.source?.survivor ? survivorPod(options, uid, agent, held) : snapshotPod(options, uid);
  await createIfAbsent(client.resource(pods).create(pod, { fieldManager, signal }));
}
