// SPDX-License-Identifier: Apache-2.0
import { clientPort, type Dialer, formatId, isEtcdError, MemberClient, memberAddress } from '@etcd-operator/etcd';
import { type Client, isKubeError, type PersistentVolumeClaim, type Pod, secrets } from '@etcd-operator/kube';
import type { Clock } from '@etcd-operator/ports';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import { labels } from '../../api/names.ts';
import { identityOf } from '../../cluster/act/cluster-identity.ts';
import type { ClusterCredentials } from '../../cluster/etcd/member-pool.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { incarnationOf } from '../../cluster/observe/pod-facts.ts';
import { seedName } from '../../cluster/plan/member-naming.ts';
import type { ClusterSecrets } from '../../cluster/secrets/cluster-secrets.ts';
import { secretNameOf } from '../objects/restore-secret.ts';
import type { JobFacts, LifePod, LifeVolume, RestoreObservation, SeedAnswer, TargetFacts } from '../observation.ts';
import { restoreFacts } from './restore-facts.ts';
import { agentOf, seedFacts } from './seed-facts.ts';
import { targetFacts } from './target-facts.ts';

/** The objects around one restore, as the caches have them. */
export interface Found {
  readonly restore: EtcdRestore;
  readonly cluster: EtcdCluster | undefined;
  readonly pods: readonly Pod[];
  readonly volumes: readonly PersistentVolumeClaim[];
}

export interface ObserveContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly dial: Dialer | undefined;
  readonly secrets: ClusterSecrets;
  /** The jobs of a restore; what was delivered is of one run of the agent. */
  readonly jobs: (agent: string) => JobFacts;
  readonly signal: AbortSignal;
}

export interface Look {
  readonly observation: RestoreObservation;
  readonly credentials: ClusterCredentials;
  readonly tlsKeys: Awaited<ReturnType<ClusterSecrets['check']>>['keyStyles'];
}

/** Gathers everything that one decision about a restore needs. */
export async function observe(found: Found, context: ObserveContext): Promise<Look> {
  const { restore, cluster } = found;
  const { client, signal } = context;
  const facts = restoreFacts(restore);
  const noSecrets = { credentials: { tls: undefined, login: undefined }, problems: [] };
  const findings = cluster ? await context.secrets.check(cluster, client, signal) : undefined;
  const { credentials, problems } = findings ?? noSecrets;
  const target = cluster && targetFacts(cluster, problems);
  const own = cluster ? found.pods.filter((pod) => isOwnedBy(pod, target?.uid ?? '')) : [];
  const seed = cluster && target && own.find((pod) => pod.metadata?.name === nameOfSeed(cluster, target));
  const answer =
    seed && cluster ? await ask(seed, cluster, credentials, facts.source?.authEnabled ?? false, context) : undefined;
  const observation: RestoreObservation = {
    restore: facts,
    cluster: target,
    pods: own.map(lifePod),
    strangers: found.pods.filter((pod) => !own.includes(pod) && !lifePod(pod).fenced).map(nameOf),
    volumes: cluster ? found.volumes.filter((claim) => isOwnedBy(claim, target?.uid ?? '')).map(lifeVolume) : [],
    seed: seed && seedFacts(seed, answer, context.clock.now()),
    hasSecret: (facts.ended === undefined || facts.hasFinalizer) && (await hasSecret(restore, client, signal)),
    jobs: context.jobs(seed ? agentOf(seed) : ''),
  };
  const tlsKeys = findings?.keyStyles ?? { peer: 'own', server: 'own', client: 'own' };
  return { observation, credentials, tlsKeys };
}

function nameOfSeed(cluster: EtcdCluster, { uid, incarnation }: TargetFacts): string {
  return seedName(cluster.metadata?.name ?? '', uid, incarnation);
}

function nameOf({ metadata }: Pod): string {
  return metadata?.name ?? '';
}

function lifePod({ metadata = {} }: Pod): LifePod {
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    incarnation: incarnationOf(metadata.labels),
    fenced: metadata.labels?.[labels.app] !== 'etcd',
    terminating: metadata.deletionTimestamp !== undefined,
  };
}

function lifeVolume({ metadata = {} }: PersistentVolumeClaim): LifeVolume {
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    incarnation: incarnationOf(metadata.labels),
    terminating: metadata.deletionTimestamp !== undefined,
  };
}

async function hasSecret(restore: EtcdRestore, client: Client, signal: AbortSignal): Promise<boolean> {
  const { namespace, ...identity } = identityOf(restore);
  try {
    const name = secretNameOf({ namespace, ...identity });
    const { metadata } = await client.resource(secrets).get({ namespace, name }, { signal });
    return metadata?.ownerReferences?.some(({ uid }) => uid === identity.uid) ?? false;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw error;
  }
}

/** A client of one pod's etcd, for the time of one look. */
export function memberClient(
  pod: Pod,
  cluster: EtcdCluster,
  credentials: ClusterCredentials,
  { clock, dial }: Pick<ObserveContext, 'clock' | 'dial'>,
): MemberClient {
  const { name, namespace } = identityOf(cluster);
  const clusterDomain = cluster.spec.pod?.ClusterDomain ?? '';
  const place = { member: pod.metadata?.name ?? '', cluster: name, namespace, clusterDomain };
  return new MemberClient({
    target: { host: pod.status?.podIP ?? '', port: clientPort },
    serverName: memberAddress(place, { client: true, peer: true }).host,
    clock,
    tls: () => credentials.tls,
    login: () => credentials.login,
    ...(dial && { dial }),
    timeoutMs: 2_000,
    connectTimeoutMs: 2_000,
  });
}

async function ask(
  pod: Pod,
  cluster: EtcdCluster,
  credentials: ClusterCredentials,
  authEnabled: boolean,
  context: ObserveContext,
): Promise<SeedAnswer | undefined> {
  const isRunning = pod.status?.containerStatuses?.some(({ name, state }) => name === 'etcd' && state?.running);
  if (!isRunning || !pod.status?.podIP) return undefined;
  using member = memberClient(pod, cluster, credentials, context);
  try {
    const { clusterId, memberId, revision, leader } = await member.maintenance.status({ signal: context.signal });
    // Reads any key as whom the spec names (operator rule 23): a status is for everybody in some versions.
    if (authEnabled && leader !== 0n) await member.kv.range({ key: Buffer.from([0]) }, { signal: context.signal });
    return {
      clusterId: formatId(clusterId),
      memberId: formatId(memberId),
      revision: Number(revision),
      hasLeader: leader !== 0n,
      loginProblem: undefined,
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (isEtcdError(error, ...refusals)) return lockedOut(error.message);
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}

const refusals = ['PermissionDenied', 'InvalidAuthToken', 'LoginRequired', 'LoginFailed'] as const;

function lockedOut(why: string): SeedAnswer {
  const loginProblem = `the credentials in spec.auth do not open the restored cluster: ${why}`;
  return { clusterId: '', memberId: '', revision: 0, hasLeader: false, loginProblem };
}
