// SPDX-License-Identifier: Apache-2.0
import { clientPort, type Dialer, isEtcdError, MemberEndpoints, metricsPort } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import type { ClusterCredentials, MemberTarget } from './member-pool.ts';

/** What is needed to reach the HTTP endpoints of members. */
export interface EndpointAccess {
  readonly clock: Clock;
  readonly dial: Dialer | undefined;
  readonly credentials: ClusterCredentials;
  readonly signal: AbortSignal;
}

/** The version of the whole cluster as this member reports it; empty if it does not report one. */
export async function readClusterVersion(target: MemberTarget, access: EndpointAccess): Promise<string> {
  const endpoints = endpointsOf(target, clientPort, access, access.credentials.tls);
  const answer = await undefinedIfUnreachable(endpoints.version({ signal: access.signal }), access.signal);
  return answer?.cluster ?? '';
}

/** How many raft snapshots the member's process has taken; undefined if it does not report that. */
export async function readRaftSnapshots(target: MemberTarget, access: EndpointAccess): Promise<number | undefined> {
  const endpoints = endpointsOf(target, metricsPort, access, undefined);
  return undefinedIfUnreachable(endpoints.raftSnapshotsSaved({ signal: access.signal }), access.signal);
}

/** How many entries a member with a closed client port has applied; undefined if its metrics cannot be read either. */
export async function readEntriesApplied(target: MemberTarget, access: EndpointAccess): Promise<number | undefined> {
  const endpoints = endpointsOf(target, metricsPort, access, undefined, joiningTimeoutMs);
  return undefinedIfUnreachable(endpoints.entriesApplied({ signal: access.signal }), access.signal);
}

/** The last entry that a member with a closed client port knows to be committed; undefined if it does not report that. */
export async function readEntriesCommitted(
  target: Pick<MemberTarget, 'ip' | 'serverName'>,
  access: EndpointAccess,
): Promise<number | undefined> {
  const endpoints = endpointsOf(target, metricsPort, access, undefined, joiningTimeoutMs);
  return undefinedIfUnreachable(endpoints.entriesCommitted({ signal: access.signal }), access.signal);
}

/** How many bytes a member has received from each peer, by member ID; undefined if it does not report that. */
export async function readBytesFromPeers(
  target: MemberTarget,
  access: EndpointAccess,
): Promise<ReadonlyMap<string, number> | undefined> {
  const endpoints = endpointsOf(target, metricsPort, access, undefined);
  return undefinedIfUnreachable(endpoints.bytesFromPeers({ signal: access.signal }), access.signal);
}

/** A joining member opens its ports before it serves. Until it serves, it does not answer requests, so there is no use in waiting longer. */
export const joiningTimeoutMs = 500;

function endpointsOf(
  target: Pick<MemberTarget, 'ip' | 'serverName'>,
  port: number,
  { clock, dial }: EndpointAccess,
  tls: ClusterCredentials['tls'],
  timeoutMs = 2_000,
): MemberEndpoints {
  return new MemberEndpoints({
    target: { host: target.ip, port },
    clock,
    serverName: target.serverName,
    tls: () => tls,
    ...(dial && { dial }),
    timeoutMs,
  });
}

async function undefinedIfUnreachable<T>(question: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}
