// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound, isKubeError } from '@operator-parts/kube';
import { etcdRestores } from '../../api/etcd-restore.ts';
import type { Observation, RecoveryFacts } from '../observation.ts';
import { identify } from '../plan/identity/identify.ts';
import { recoveryName } from '../plan/quorum/recovery.ts';

/** Whether the operator has started to recover this incarnation. Read from the API server, and only when needed. */
export async function recoveryFacts(
  client: Client,
  observation: Observation,
  signal: AbortSignal,
): Promise<RecoveryFacts | undefined> {
  const { cluster, etcd } = observation;
  const isWanted = !('problems' in cluster.desired) && cluster.desired.quorumLoss === 'Automatic';
  const identity = identify(observation);
  if (!isWanted || etcd.membership.kind === 'known' || identity.kind !== 'recorded') return undefined;
  const { name, namespace } = cluster;
  const key = { namespace, name: recoveryName(name, identity.clusterId) };
  try {
    const found = await ignoreNotFound(client.resource(etcdRestores.resource).get(key, { signal }));
    if (!found) return { kind: 'none' };
    return { kind: 'begun', phase: found.status?.phase ?? '', reason: found.status?.reason ?? '' };
  } catch (error) {
    if (!isKubeError(error, 'Forbidden', 'Unauthorized')) throw error;
    return { kind: 'unknown', why: error.message };
  }
}
