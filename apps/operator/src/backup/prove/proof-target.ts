// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound } from '@operator-parts/kube';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { type EtcdCluster, type EtcdClusterSpec, etcdClusters } from '../../api/etcd-cluster.ts';
import { type Desired, desiredOf } from '../../cluster/desired.ts';
import { judgePods, type PodGrants } from '../../cluster/grants/pod-grants.ts';
import type { SourceFacts } from '../../restore/observation.ts';
import type { ReadSecret } from '../../storage/secret-reader.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { ProofError } from './proof-error.ts';

/** The etcd with which a backup is restored as a test, and where it runs. */
export interface ProofTarget {
  readonly desired: Desired;
  readonly spec: EtcdClusterSpec;
  /** The EtcdCluster of the backup; undefined if there is none. */
  readonly cluster: string | undefined;
  readonly loginSecret: string | undefined;
}

export interface Proven {
  readonly backup: EtcdBackup;
  readonly order: BackupOrder;
  readonly facts: SourceFacts;
}

interface TargetPorts {
  readonly client: Client;
  readonly grants: PodGrants;
  readonly readSecret: ReadSecret;
}

/**
 * The etcd that a restore of the backup would need: version and image of its EtcdCluster or, without one, the version that the backup was
 * taken from. Of the cluster's pod settings, only those are used that the pod needs to run on the cluster's nodes, and none that weaken the
 * pod's security.
 */
export async function proofTarget(
  { backup, order, facts }: Proven,
  { client, grants, readSecret }: TargetPorts,
  signal: AbortSignal,
): Promise<ProofTarget> {
  const namespace = backup.metadata?.namespace ?? '';
  const name = order.cluster ?? facts.cluster?.name;
  const cluster =
    name === undefined
      ? undefined
      : await ignoreNotFound(client.resource(etcdClusters.resource).get({ namespace, name }, { signal }));
  const spec = specFor(cluster, facts.etcdVersion ?? '');
  const desired = desiredOf('proof', spec);
  const problems = 'problems' in desired ? desired.problems : judgePods(namespace, spec, grants).refused;
  if ('problems' in desired || problems.length > 0)
    throw new ProofError(
      'untried',
      'ProofPodFailed',
      `the pod for the test restore cannot be created: ${problems.join('; ')}`,
    );
  const loginSecret = facts.authEnabled ? await loginFor({ backup, order, cluster }, readSecret) : undefined;
  return { desired, spec, cluster: cluster?.metadata?.name, loginSecret };
}

/** Reads the Secret by the same rules as for a backup: a Secret that a backup must not use is not mounted into the pod either. */
async function loginFor(
  { backup, order, cluster }: Pick<Proven, 'backup' | 'order'> & { readonly cluster: EtcdCluster | undefined },
  readSecret: ReadSecret,
): Promise<string> {
  const auth = order.cluster === undefined ? (backup.spec.auth ?? cluster?.spec.auth) : cluster?.spec.auth;
  if (!auth?.secret)
    throw new ProofError(
      'untried',
      'ProofLoginRefused',
      'authentication is enabled in the backup, but no Secret with a login is configured. Set spec.auth.secret of the EtcdBackup or of its EtcdCluster',
    );
  if (!(await readSecret(auth.secret)))
    throw new ProofError('untried', 'ProofLoginRefused', `secret ${auth.secret} does not exist`);
  return auth.secret;
}

function specFor(cluster: EtcdCluster | undefined, madeWith: string): EtcdClusterSpec {
  const { version, repository, image, pod } = cluster?.spec ?? {};
  const { tolerations, nodeSelector, imagePullSecrets } = pod ?? {};
  return {
    size: 1,
    version: version || madeWith,
    ...(repository && { repository }),
    ...(image && { image }),
    pod: {
      checkDNS: false,
      ...(tolerations && { tolerations }),
      ...(nodeSelector && { nodeSelector }),
      ...(imagePullSecrets && { imagePullSecrets }),
    },
  };
}
