// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import type { Pod } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { electionTimeout } from '../../cluster/objects/election-timeout.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { type Found, memberClient, type ObservedRestore } from '../observe/observe.ts';
import { RestoreError } from '../restore-error.ts';
import { lockedOut, type Newest, newest } from './save-present.ts';

const askAgainAfter = 250;

/**
 * A quorum elects a leader within this many election timeouts: a member calls for a vote after one to two election timeouts. Members that
 * name no leader for longer have no quorum.
 */
const electionsPatience = 2.5;

/** A member with a quorum serves a linearizable read within this time. */
const readPatience = 1_000;

/**
 * How long it may take until lost members stop answering, not counting elections: a pod that is deleted by force keeps running for a
 * moment.
 */
const lossPatience = 12_500;

/** Asks the running members of a cluster whether they have a quorum; see `surveyMembers`. */
export async function surveyCluster(
  { cluster, pods }: Found,
  { credentials }: ObservedRestore,
  dialing: Dialing,
  context: JobContext,
): Promise<SourceFacts> {
  const running = cluster ? pods.filter((pod) => isOwnedBy(pod, identityOf(cluster).uid) && pod.status?.podIP) : [];
  const members = new Map(
    running.flatMap((pod) =>
      cluster ? [[pod.metadata?.name ?? '', memberClient(pod, cluster, credentials, dialing)] as const] : [],
    ),
  );
  const longest = Math.max(...running.map(electionTimeoutOf), electionTimeout([]));
  try {
    return await surveyMembers(members, credentials.login !== undefined, longest, dialing.clock, context);
  } finally {
    for (const member of members.values()) member.close();
  }
}

function electionTimeoutOf({ spec }: Pod): number {
  return electionTimeout(spec?.containers.find(({ name }) => name === 'etcd')?.env ?? []);
}

type Dialing = Parameters<typeof memberClient>[3];

/**
 * Asks the running members whether they have a quorum, before a cluster is recovered from one of the members. Rejects if they have a
 * lasting quorum: then nothing is lost. Which member has the most data is found out later, from the members' logs. As long as no member
 * names a leader, no linearizable read is sent, because it would only wait for a leader.
 */
export async function surveyMembers(
  members: ReadonlyMap<string, MemberClient>,
  hasLogin: boolean,
  electionMs: number,
  clock: Clock,
  { signal }: JobContext,
): Promise<SourceFacts> {
  const electionPatience = electionsPatience * electionMs;
  const patience = lossPatience + electionPatience;
  const began = clock.monotonic();
  let leaderlessSince: number | undefined;
  for (;;) {
    const found = await surveyOnce(members, signal);
    const now = clock.monotonic();
    leaderlessSince = isLeaderless(found) ? (leaderlessSince ?? now) : undefined;
    if (leaderlessSince === undefined && now - began >= patience) throw refusalOf(found);
    const isLasting = leaderlessSince !== undefined && now - leaderlessSince >= electionPatience;
    if (isLasting || (!found.best && isLeaderless(found))) return pendingSource(found, hasLogin);
    await clock.sleep(askAgainAfter, signal);
  }
}

async function surveyOnce(members: ReadonlyMap<string, MemberClient>, signal: AbortSignal): Promise<Newest> {
  const found = await newest(members, undefined, signal);
  return found.hasLeader ? newest(members, readPatience, signal) : found;
}

function isLeaderless({ isCurrent, hasLeader, refused }: Newest): boolean {
  return !isCurrent && !hasLeader && refused === undefined;
}

function pendingSource({ best }: Newest, hasLogin: boolean): SourceFacts {
  return {
    path: 'survivor',
    bytes: best?.status.dbSize ?? 0,
    sha256: undefined,
    revision: Number(best?.status.revision ?? 0n),
    storageVersion: undefined,
    authEnabled: hasLogin,
    verified: 'Pending',
    cluster: undefined,
  };
}

function refusalOf({ best, isCurrent, refused }: Newest): RestoreError {
  if (refused !== undefined) return lockedOut(refused);
  return new RestoreError('SourceRefused', isCurrent ? needless(best?.name ?? '') : undecided);
}

function needless(member: string): string {
  return `the cluster has a quorum, because member ${member} serves linearizable reads. Recovery is not needed, and nothing is changed; the etcd-operator replaces missing members`;
}

const undecided =
  'the members have a leader but do not serve linearizable reads, so it is not known whether the cluster has a quorum. Nothing is changed. Check the network between the members, then create another EtcdRestore';
