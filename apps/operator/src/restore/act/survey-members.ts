// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { type Found, memberClient, type ObservedRestore } from '../observe/observe.ts';
import { RestoreError } from '../restore-error.ts';
import { lockedOut, newest } from './save-present.ts';

const askAgainAfter = 1_000;

/**
 * Longer than it takes to notice the loss of members: a pod that is deleted by force keeps running for a moment, and a member names a lost
 * leader until its election timeout.
 */
const patience = 15_000;

/** Asks the members of a cluster, by its pods. */
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
  try {
    return await surveyMembers(members, credentials.login !== undefined, dialing.clock, context);
  } finally {
    for (const member of members.values()) member.close();
  }
}

type Dialing = Parameters<typeof memberClient>[3];

/**
 * Asks the running members whether they have a quorum, before a cluster is recovered from one of them. Rejects if they have a lasting
 * quorum: nothing is lost then. Their logs show later which of them has the most data.
 */
export async function surveyMembers(
  members: ReadonlyMap<string, MemberClient>,
  hasLogin: boolean,
  clock: Clock,
  { signal }: JobContext,
): Promise<SourceFacts> {
  const began = clock.monotonic();
  for (;;) {
    const { best, isCurrent, hasLeader, refused } = await newest(members, true, signal);
    if (!isCurrent && !hasLeader && refused === undefined)
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
    const isOver = clock.monotonic() - began >= patience;
    if (isOver && refused !== undefined) throw lockedOut(refused);
    if (isOver) throw new RestoreError('SourceRefused', isCurrent ? needless(best?.name ?? '') : undecided);
    await clock.sleep(askAgainAfter, signal);
  }
}

function needless(member: string): string {
  return `the cluster has a quorum, because member ${member} serves linearizable reads. Recovery is not needed, and nothing is changed; the etcd-operator replaces missing members`;
}

const undecided =
  'the members have a leader but do not serve linearizable reads, so it is not known whether the cluster has a quorum. Nothing is changed. Check the network between the members, then create another EtcdRestore';
