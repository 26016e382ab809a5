// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@operator-parts/kube';
import { type EtcdRestore, etcdRestores } from '../../api/etcd-restore.ts';
import { fieldManager } from '../../api/names.ts';
import { scopeOf } from '../../api/scope.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { ownerOf } from '../objects/owner.ts';
import type { Step } from '../plan/step.ts';
import { type ActContext, done, type StepOutcome } from './act-context.ts';
import { findUncached } from './object-steps.ts';

/**
 * Creates the EtcdRestore. Its name contains the cluster ID of the incarnation, so that only one EtcdRestore is created for each
 * incarnation. None is created if the API server has a pod or volume of a member that was considered lost.
 */
export async function recoverQuorum(
  { name, lost }: Extract<Step, { do: 'recoverQuorum' }>,
  context: ActContext,
): Promise<StepOutcome> {
  const { client, cluster, signal } = context;
  for (const member of lost) {
    const unseen = await findUncached(member, context);
    if (unseen) return { kind: 'refused', why: `The cluster is not recovered without member ${member}: ${unseen}.` };
  }
  context.fence();
  const object = recoveryOf(context, name);
  try {
    const created = await client.resource(etcdRestores.resource).create(object, { fieldManager, signal });
    if (created.spec.source?.survivor) return done;
  } catch (error) {
    // Another operator was faster, or the recovery was started before: the next observation shows its progress.
    if (isKubeError(error, 'AlreadyExists')) return done;
    throw error;
  }
  const why =
    'the installed CustomResourceDefinition of EtcdRestore does not have source.survivor: upgrade the CustomResourceDefinition';
  return { kind: 'impossible', why: `EtcdCluster ${cluster.metadata?.name} cannot be recovered: ${why}` };
}

function recoveryOf({ cluster }: ActContext, name: string): EtcdRestore {
  const identity = identityOf(cluster);
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: {
      name,
      namespace: identity.namespace,
      annotations: scopeOf(cluster),
      // The EtcdRestore is deleted with this cluster, so that it does not recover a later cluster of the same name.
      ownerReferences: [ownerOf(identity)],
    },
    spec: { etcdCluster: { name: identity.name }, source: { survivor: {} } },
  };
}
