// SPDX-License-Identifier: Apache-2.0
import { persistentVolumeClaims, pods } from '@etcd-operator/kube';
import { fieldManager } from '../../api/names.ts';
import { identityOf } from '../../cluster/act/cluster-identity.ts';
import { unlessThere } from '../../cluster/act/object-steps.ts';
import { releaseOfVersion } from '../../cluster/plan/release.ts';
import { snapshotPod } from '../objects/snapshot-pod.ts';
import type { RestoreStep } from '../plan/step.ts';
import { RestoreError } from '../restore-error.ts';
import type { ActContext } from './act-context.ts';

/** With the version that last served from its volume: another one may not be able to open it, or would change it. */
export async function startMember(
  { name, volumeUid, incarnation, member }: Extract<RestoreStep, { do: 'startMember' }>,
  { client, cluster, desired, restore, tlsKeys, signal }: ActContext,
): Promise<void> {
  if (!cluster || !desired) throw new Error('a member is started for an EtcdCluster');
  const identity = identityOf(cluster);
  const { namespace } = identity;
  const { metadata } = await client.resource(persistentVolumeClaims).get({ namespace, name }, { signal });
  if (metadata?.uid !== volumeUid || metadata.deletionTimestamp !== undefined)
    throw new RestoreError('NotSaved', `pvc/${name} has changed since it was seen`);
  const release = releaseOfVersion(desired, member.version || desired.version);
  const pod = snapshotPod(
    {
      cluster: identity,
      desired: { ...desired, ...release, storage: 'claim' },
      spec: cluster.spec,
      name,
      incarnation,
      identity: { clusterId: member.clusterId, memberId: member.memberId },
      ownsFilesAsRoot: member.asRoot,
      tlsKeys,
    },
    identityOf(restore).uid,
  );
  await unlessThere(client.resource(pods).create(pod, { fieldManager, signal }));
}
