// SPDX-License-Identifier: Apache-2.0
import { clientPort, memberAddress } from '@operator-parts/etcd';
import { type Client, ignoreNotFound, type Pod, pods } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { type EtcdCluster, etcdClusters } from '../../../api/etcd-cluster.ts';
import { annotations, clusterSelector } from '../../../api/names.ts';
import { isOwnedBy } from '../../../cluster/objects/owner.ts';
import { incarnationOf } from '../../../cluster/observe/pod-facts.ts';
import { ClusterSecrets } from '../../../cluster/secrets/cluster-secrets.ts';
import { identityOf } from '../../../identity/object-identity.ts';
import { BackupError } from '../../backup-fault.ts';
import type { EtcdEndpoint } from '../../observe/etcd-endpoint.ts';
import { hasOwnAddress } from '../endpoint/namespace-addresses.ts';
import type { EtcdAccess } from './etcd-access.ts';

/** The members of an EtcdCluster, with the certificates and login to connect to them. */
export interface ClusterMembers {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly access: EtcdAccess;
}

/** What the lookup of the cluster needs. */
export interface ClusterSearch {
  readonly client: Client;
  readonly clock: Clock;
  /** The namespace of the object that names the cluster. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * The members of the EtcdCluster that `spec.clusterRef` names. Their addresses are those of the pods that the EtcdCluster owns by UID and
 * that belong to its present incarnation. No Service and no DNS name is used, because another object could take those over. Certificates
 * and login are those of the cluster's own spec, so they are sent only to its own members.
 */
export async function clusterMembers(name: string, search: ClusterSearch): Promise<ClusterMembers> {
  const { client, clock, namespace, signal } = search;
  const cluster = await ignoreNotFound(client.resource(etcdClusters.resource).get({ namespace, name }, { signal }));
  if (!cluster)
    throw new BackupError(
      'passing',
      'ClusterMissing',
      `spec.clusterRef names etcdcluster/${name}, which does not exist. Create it, or correct spec.clusterRef`,
    );
  const { credentials, problems } = await new ClusterSecrets(clock).check(cluster, client, signal);
  const unusable = problems.filter((problem) => isAboutAccess(problem, cluster));
  if (unusable.length > 0)
    throw new BackupError('lasting', 'SecretInvalid', `etcdcluster/${name}: ${unusable.join('; ')}`);
  const { items } = await client.resource(pods).list({ namespace, labelSelector: clusterSelector(name), signal });
  const endpoints = membersOf(cluster, items, credentials.tls !== undefined);
  if (endpoints.length > 0) return { endpoints, access: credentials };
  throw new BackupError(
    'passing',
    'EtcdUnavailable',
    `etcdcluster/${name} has no running member yet. The operator retries the backup automatically`,
  );
}

/**
 * The endpoints of the cluster's own pods. Empty until the cluster ID is recorded, because its members cannot be identified before that.
 */
function membersOf(cluster: EtcdCluster, found: readonly Pod[], tls: boolean): readonly EtcdEndpoint[] {
  const { name, namespace, uid } = identityOf(cluster);
  const { clusterID: clusterId, incarnation = 1 } = cluster.status ?? {};
  if (!clusterId) return [];
  const clusterDomain = cluster.spec.pod?.ClusterDomain ?? '';
  const isMember = (pod: Pod) =>
    isOwnedBy(pod, uid) &&
    incarnationOf(pod.metadata?.labels) === incarnation &&
    pod.metadata?.annotations?.[annotations.startedByRestore] === undefined &&
    hasOwnAddress(pod);
  return found.filter(isMember).flatMap(({ metadata, status }) => {
    const { name: member = '' } = metadata ?? {};
    const memberId = metadata?.annotations?.[annotations.memberId];
    const serverName = memberAddress(
      { member, cluster: name, namespace, clusterDomain },
      { client: true, peer: true },
    ).host;
    const expected = { clusterId, ...(memberId && { memberId }) };
    return status?.podIP
      ? [{ text: `pod/${member}`, host: status.podIP, port: clientPort, tls, serverName, expected }]
      : [];
  });
}

/** True for problems with the Secrets that a backup needs. Problems with peer and server certificates do not concern backups. */
function isAboutAccess(problem: string, { spec }: EtcdCluster): boolean {
  const names = [spec.TLS?.static?.operatorSecret, spec.auth?.secret];
  return names.some((name) => name && (problem.startsWith(`secret/${name}:`) || problem.startsWith(`secret/${name} `)));
}
