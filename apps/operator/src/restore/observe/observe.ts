// SPDX-License-Identifier: Apache-2.0
import { type Dialer, formatId, isEtcdError, MemberClient, memberAddress } from '@operator-parts/etcd';
import { type Client, isKubeError, type PersistentVolumeClaim, type Pod, secrets } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../../api/etcd-restore.ts';
import { annotations, labels } from '../../api/names.ts';
import { readRestoreMarker } from '../../api/restore-marker.ts';
import type { ClusterCredentials } from '../../cluster/etcd/member-pool.ts';
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { incarnationOf } from '../../cluster/observe/pod-facts.ts';
import type { ClusterSecrets } from '../../cluster/secrets/cluster-secrets.ts';
import { seedName } from '../../identity/member-naming.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { secretNameOf } from '../objects/restore-secret.ts';
import { portOf } from '../objects/snapshot-pod.ts';
import type {
  ClusterPod,
  ClusterVolume,
  JobFacts,
  RestoreFacts,
  RestoreObservation,
  SeedAnswer,
  TargetFacts,
} from '../observation.ts';
import { holderFacts } from './holder-facts.ts';
import { otherOwnerPodsOf } from './other-owner-pods.ts';
import { mayHoldData } from './pod-data.ts';
import { refusals } from './refusals.ts';
import { restoreFacts } from './restore-facts.ts';
import { agentOf, seedFacts } from './seed-facts.ts';
import { survivorFacts } from './survivor-facts.ts';
import { targetFacts } from './target-facts.ts';

/** The objects that belong to one restore, as read from the caches. */
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
  /** The jobs of a restore. A delivery job belongs to one run of the agent. */
  readonly jobs: (agent: string) => JobFacts;
  /** For how long this process has seen that the restore ended, in milliseconds. */
  readonly endedFor: number;
  /** For how long this process has seen that something has a value, in milliseconds. */
  readonly seenFor: (what: string, value: unknown) => number;
  readonly signal: AbortSignal;
  /** @default true */
  readonly readsNodes?: boolean;
  /** Which pods the administrator allows. */
  readonly grants: PodGrants;
}

export interface ObservedRestore {
  readonly observation: RestoreObservation;
  readonly credentials: ClusterCredentials;
  readonly tlsKeys: Awaited<ReturnType<ClusterSecrets['check']>>['keyStyles'];
}

/** Gathers everything that one decision about a restore needs. */
export async function observe(found: Found, context: ObserveContext): Promise<ObservedRestore> {
  const { restore, cluster } = found;
  const { client, signal } = context;
  const facts = restoreFacts(restore);
  const noSecrets = { credentials: { tls: undefined, login: undefined }, problems: [] };
  const findings = cluster ? await context.secrets.check(cluster, client, signal) : undefined;
  const { credentials, problems } = findings ?? noSecrets;
  const target = cluster && targetFacts(cluster, problems, await isOrphaned(cluster, restore, context), context.grants);
  const own = cluster ? found.pods.filter((pod) => isOwnedBy(pod, target?.uid ?? '')) : [];
  const seed = cluster && target && own.find((pod) => pod.metadata?.name === nameOfSeed(cluster, target));
  const answer =
    seed && cluster ? await ask(seed, cluster, credentials, facts.source?.authEnabled ?? false, context) : undefined;
  const observation: RestoreObservation = {
    restore: facts,
    cluster: target,
    grants: context.grants,
    pods: await Promise.all(
      own.map(async (pod) => ({
        ...clusterPod(pod, timeFor(pod, facts, context), await isOnlyData(pod, facts, target, context)),
        ...(cluster && (await asSurvivor(pod, facts, { cluster, target, credentials }, context))),
      })),
    ),
    otherOwnerPods: await otherOwnerPodsOf(
      found.pods.filter((pod) => !own.includes(pod) && !isIsolated(pod)),
      context,
    ),
    volumes: cluster ? volumesOf(found, target?.uid ?? '', facts, context) : [],
    seed: seed && seedFacts(seed, answer, timeFor(seed, facts, context)),
    holder: await holderFacts(
      found,
      { facts, timeFor: (pod) => timeFor(pod, facts, context) },
      (...of) => memberClient(...of, credentials, context),
      context,
    ),
    hasSecret: (facts.ended === undefined || facts.hasFinalizer) && (await hasSecret(restore, client, signal)),
    endedFor: context.endedFor,
    jobs: context.jobs(seed ? agentOf(seed) : ''),
  };
  const tlsKeys = findings?.keyStyles ?? { peer: 'own', server: 'own', client: 'own' };
  return { observation, credentials, tlsKeys };
}

/**
 * True if the EtcdRestore that set the restore annotation of the cluster no longer exists. This asks the API server, because the caches may
 * show the annotation before they show that EtcdRestore. If the request fails, the observation fails, so the annotation is not taken over.
 */
async function isOrphaned(
  { metadata }: EtcdCluster,
  restore: EtcdRestore,
  { client, signal }: ObserveContext,
): Promise<boolean> {
  const { uid = '' } = readRestoreMarker(metadata?.annotations) ?? {};
  const { namespace, uid: own } = identityOf(restore);
  if (uid === '' || uid === own || restore.status?.succeeded) return false;
  const { items } = await client.resource(etcdRestores.resource).list({ namespace, signal });
  return !items.some((item) => item.metadata?.uid === uid);
}

function nameOfSeed(cluster: EtcdCluster, { uid, incarnation }: TargetFacts): string {
  return seedName(cluster.metadata?.name ?? '', uid, incarnation);
}

/** Longer than a kubelet takes to report that a pod has ended. */
const endPatience = 60_000;

function isOverdue(deletionTimestamp: string | undefined, now: number): boolean {
  return deletionTimestamp !== undefined && now - Date.parse(deletionTimestamp) > endPatience;
}

/**
 * The present time, for measuring how old an object is or how long its deletion takes. It is the object's own time of creation or deletion,
 * plus how long this process has seen that time: the wall clocks of this machine and of the API server may be hours apart.
 */
function timeFor(
  { metadata = {} }: Pod | PersistentVolumeClaim,
  { ended }: RestoreFacts,
  { clock, seenFor }: ObserveContext,
): number {
  const { uid = '', creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const since = Date.parse(deletionTimestamp ?? creationTimestamp ?? '');
  if (ended !== undefined || Number.isNaN(since)) return clock.now();
  return since - (deletionTimestamp ? 1000 * deletionGracePeriodSeconds : 0) + seenFor(uid, since);
}

function volumesOf(
  { volumes }: Found,
  uid: string,
  facts: RestoreFacts,
  context: ObserveContext,
): readonly ClusterVolume[] {
  return volumes
    .filter((claim) => isOwnedBy(claim, uid))
    .map((claim) => clusterVolume(claim, timeFor(claim, facts, context)));
}

/**
 * True if the pod may have the only copy of a member's data. The node is read only while the result can still decide whether the restore
 * continues.
 */
async function isOnlyData(
  pod: Pod,
  { ended, uid }: RestoreFacts,
  target: TargetFacts | undefined,
  context: ObserveContext,
): Promise<boolean> {
  const isOld = incarnationOf(pod.metadata?.labels) < (target?.incarnation ?? 0);
  if (!isOld || ended !== undefined || target?.marker?.uid !== uid || target.restoredBy === uid) return false;
  return mayHoldData(pod, context);
}

/**
 * The facts of a pod as a survivor (a member that still has data of a cluster without a quorum). Read only until the new incarnation
 * exists.
 */
async function asSurvivor(
  pod: Pod,
  facts: RestoreFacts,
  { cluster, target, credentials }: SurvivorContext,
  context: ObserveContext,
): Promise<Pick<ClusterPod, 'survivor'>> {
  const { survivor, ended, uid } = facts;
  const isMarked = target?.marker?.uid === uid;
  const isNew = isMarked && incarnationOf(pod.metadata?.labels) >= target.incarnation;
  if (!survivor || ended !== undefined || isNew || target?.restoredBy === uid) return {};
  const now = timeFor(pod, facts, context);
  return { survivor: await survivorFacts(pod, now, () => memberClient(pod, cluster, credentials, context), context) };
}

interface SurvivorContext {
  readonly cluster: EtcdCluster;
  readonly target: TargetFacts | undefined;
  readonly credentials: ClusterCredentials;
}

function isIsolated({ metadata }: Pod): boolean {
  return metadata?.labels?.[labels.app] !== 'etcd';
}

function clusterPod(pod: Pod, now: number, isOnlyDataThere: boolean): ClusterPod {
  const { metadata = {}, status } = pod;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    incarnation: incarnationOf(metadata.labels),
    isolated: isIsolated(pod),
    ready: status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
    running: status?.containerStatuses?.some(({ name, state }) => name === 'etcd' && state?.running) ?? false,
    startedBy: metadata.annotations?.[annotations.startedByRestore] ?? '',
    mayHoldData: isOnlyDataThere,
    terminating: metadata.deletionTimestamp !== undefined,
    overdue: isOverdue(metadata.deletionTimestamp, now),
  };
}

function clusterVolume({ metadata = {} }: PersistentVolumeClaim, now: number): ClusterVolume {
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    incarnation: incarnationOf(metadata.labels),
    terminating: metadata.deletionTimestamp !== undefined,
    overdue: isOverdue(metadata.deletionTimestamp, now),
    isIdentified: Boolean(metadata.annotations?.[annotations.clusterId]),
    keptBy: metadata.labels?.[labels.keptByRestore] ?? '',
    member: {
      clusterId: metadata.annotations?.[annotations.clusterId] ?? '',
      memberId: metadata.annotations?.[annotations.memberId] ?? '',
      version: metadata.annotations?.[annotations.version] ?? '',
      asRoot: metadata.labels?.[labels.incarnation] === undefined,
    },
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

/** A client of one pod's etcd, for the duration of one observation. */
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
    target: { host: pod.status?.podIP ?? '', port: portOf(pod) },
    serverName: memberAddress(place, { client: true, peer: true }).host,
    clock,
    tls: () => credentials.tls,
    login: () => credentials.login,
    ...(dial && { dial }),
    timeoutMs: 2_500,
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
    // Checks the credentials of the spec by reading any key (operator rule 23): some versions answer a status request without credentials.
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

function lockedOut(why: string): SeedAnswer {
  const loginProblem = `the restored cluster rejects the credentials in spec.auth: ${why}`;
  return { clusterId: '', memberId: '', revision: 0, hasLeader: false, loginProblem };
}
