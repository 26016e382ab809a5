// SPDX-License-Identifier: Apache-2.0
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import { annotations, fieldManager, group } from '../../api/names.ts';
import { formatRestoreMarker } from '../../api/restore-marker.ts';
import { scopeOf } from '../../api/scope.ts';
import { writeStatus } from '../../api/status/write-status.ts';
import { firstIncarnation } from '../../cluster/plan/identity/identify.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { RestoreStep } from '../plan/step.ts';
import { type ActContext, ignoreIfDeleted } from './act-context.ts';

type Of<K extends RestoreStep['do']> = Extract<RestoreStep, { do: K }>;

/**
 * Creates the EtcdCluster with the restore annotation already set. So the etcd-operator never sees the EtcdCluster without this annotation,
 * and does not bootstrap the cluster.
 */
export async function createCluster({ marker, spec }: Of<'createCluster'>, context: ActContext): Promise<void> {
  const { client, restore, signal } = context;
  const { namespace } = identityOf(restore);
  const cluster: EtcdCluster = {
    apiVersion: `${group}/v1beta2`,
    kind: 'EtcdCluster',
    metadata: {
      name: restore.spec.etcdCluster.name,
      namespace,
      annotations: {
        [annotations.restore]: formatRestoreMarker(marker),
        [annotations.incarnation]: String(firstIncarnation),
        [annotations.usedIncarnation]: String(firstIncarnation),
        ...scopeOf(restore),
      },
    },
    spec,
  };
  await client.resource(etcdClusters.resource).create(cluster, { fieldManager, signal });
}

export async function deleteCluster({ uid }: Of<'deleteCluster'>, context: ActContext): Promise<void> {
  const { client, restore, signal } = context;
  const key = { namespace: identityOf(restore).namespace, name: restore.spec.etcdCluster.name };
  await ignoreIfDeleted(client.resource(etcdClusters.resource).delete(key, { preconditions: { uid }, signal }));
}

/**
 * Writes the restore annotation and the incarnation in one patch. The API server rejects the patch if the EtcdCluster has changed since it
 * was observed.
 */
export async function mark({ marker, incarnation }: Of<'mark'>, context: ActContext): Promise<void> {
  await annotate(context, {
    [annotations.restore]: formatRestoreMarker(marker),
    [annotations.incarnation]: String(incarnation),
    [annotations.usedIncarnation]: String(incarnation),
    [annotations.clusterId]: null,
    // The bootstrap version belongs to the previous incarnation. The log of the next incarnation begins with the version of etcd that
    // serves the restored data.
    [annotations.bootstrapVersion]: null,
  });
}

export async function unmark({ back }: Of<'unmark'>, context: ActContext): Promise<void> {
  await annotate(context, {
    [annotations.restore]: null,
    ...(back && {
      [annotations.incarnation]: back.clusterId === '' ? null : String(back.incarnation),
      [annotations.clusterId]: back.clusterId || null,
      [annotations.bootstrapVersion]: back.bootstrapVersion ?? null,
    }),
  });
}

/** Records the restore together with the identity of the new incarnation, so that the same restore never creates this incarnation twice. */
export async function recordIdentity(step: Of<'recordIdentity'>, context: ActContext): Promise<void> {
  const { clusterId, incarnation, bootstrapVersion } = step;
  const { client, restore, signal } = context;
  const noted = await annotate(context, {
    [annotations.clusterId]: clusterId,
    [annotations.incarnation]: String(incarnation),
    [annotations.restoredBy]: identityOf(restore).uid,
    // The log of a restored member begins empty: it has no entries of an older version.
    [annotations.bootstrapVersion]: bootstrapVersion || null,
  });
  await writeStatus(client.resource(etcdClusters.resource), noted, { clusterID: clusterId, incarnation }, signal);
}

async function annotate(
  { client, cluster, signal }: ActContext,
  notes: Readonly<Record<string, string | null>>,
): Promise<EtcdCluster> {
  if (!cluster) throw new Error('the EtcdCluster cannot be annotated, because it does not exist');
  const { name, namespace, uid } = identityOf(cluster);
  const patch = { metadata: { uid, resourceVersion: cluster.metadata?.resourceVersion, annotations: notes } };
  return client
    .resource(etcdClusters.resource)
    .patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal });
}
