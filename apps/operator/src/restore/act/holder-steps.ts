// SPDX-License-Identifier: Apache-2.0
import { createIfAbsent, pods } from '@operator-parts/kube';
import { annotations, fieldManager } from '../../api/names.ts';
import { releaseOfVersion } from '../../cluster/plan/rolling/member-release.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { holderPod } from '../objects/holder-pod.ts';
import { restoreSwitch } from '../objects/seed-pod.ts';
import type { RestoreStep } from '../plan/step.ts';
import type { ActContext } from './act-context.ts';

/** Creates the pod that holds a snapshot of a survivor, with the version of etcd that the survivor runs. */
export async function createHolder(
  { bytes, version, ...held }: Extract<RestoreStep, { do: 'createHolder' }>,
  { client, cluster, desired, restore, tlsKeys, agent, signal }: ActContext,
): Promise<void> {
  if (!cluster || !desired)
    throw new Error('the pod for the snapshot cannot be created: the EtcdCluster does not exist or is invalid');
  const release = releaseOfVersion(desired, version || desired.version);
  const pod = holderPod({
    restore: identityOf(restore),
    cluster: identityOf(cluster),
    desired: { ...desired, ...release },
    spec: cluster.spec,
    incarnation: 1,
    tlsKeys,
    agent,
    held,
    bytes,
  });
  await createIfAbsent(client.resource(pods).create(pod, { fieldManager, signal }));
}

/** Disables the restore tool in the pod, so that the pod can be restarted with its data. */
export async function settleHolder(
  { name, uid }: Extract<RestoreStep, { do: 'settleHolder' }>,
  { client, restore, signal }: ActContext,
): Promise<void> {
  const { namespace } = identityOf(restore);
  const patch = { metadata: { uid, annotations: { [annotations.restoreSwitch]: restoreSwitch.done } } };
  await client.resource(pods).patch({ namespace, name }, { type: 'merge', patch }, { fieldManager, signal });
}
