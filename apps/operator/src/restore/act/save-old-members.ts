// SPDX-License-Identifier: Apache-2.0
import type { Dialer, MemberClient } from '@operator-parts/etcd';
import type { Pod } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { EtcdRestore } from '../../api/etcd-restore.ts';
import type { ClusterCredentials } from '../../cluster/etcd/member-pool.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { incarnationOf } from '../../cluster/observe/pod-facts.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import type { JobContext } from '../jobs.ts';
import type { SafetyFacts } from '../observation.ts';
import { isEmptyMember } from '../observe/empty-member.ts';
import { memberClient } from '../observe/observe.ts';
import type { RestoreStep } from '../plan/step.ts';
import { safetyKey, savePresent } from './save-present.ts';

export interface OldMembers {
  readonly restore: EtcdRestore;
  readonly cluster: EtcdCluster | undefined;
  /** The current pods of the cluster. */
  readonly pods: () => readonly Pod[];
  readonly credentials: ClusterCredentials;
  readonly opened: OpenedStorage;
  readonly clock: Clock;
  readonly dial: Dialer | undefined;
}

/**
 * How long storing is retried: long enough for the election of another leader if a member stops while its snapshot is read. It is short,
 * because clients are not served meanwhile.
 */
const storePatience = 30_000;

/** Stores a snapshot of the members in the pods of previous incarnations; see `savePresent`. */
export async function saveOldMembers(
  { incarnation, below, newestOnly, isTaken, patience, attempt }: Extract<RestoreStep, { do: 'save' }>,
  { restore, cluster, pods, credentials, opened, clock, dial }: OldMembers,
  context: JobContext,
): Promise<SafetyFacts> {
  if (!cluster) return { kind: 'skipped', why: 'the EtcdCluster does not exist' };
  const members = new Map<string, MemberClient>();
  const clientOf = (pod: Pod) => {
    const { uid = '', name = '' } = pod.metadata ?? {};
    // Found out again each time: a pod that starts meanwhile gets an address, and a recreated pod gets another address.
    const ip = pod.status?.podIP;
    if (!ip) return [name, undefined] as const;
    const member = members.get(`${uid} ${ip}`) ?? memberClient(pod, cluster, credentials, { clock, dial });
    members.set(`${uid} ${ip}`, member);
    return [name, member] as const;
  };
  const incarnations = () => {
    const old = oldIncarnations(pods(), identityOf(cluster).uid, below);
    return (newestOnly ? old.slice(0, 1) : old).map((found) => new Map(found.map(clientOf)));
  };
  try {
    const key = safetyKey(opened.place.key, { uid: identityOf(restore).uid, incarnation, ...attempt });
    const isEmpty = (name: string, signal: AbortSignal) => {
      const pod = pods().find(({ metadata }) => metadata?.name === name);
      return pod ? isEmptyMember(pod, { clock, dial, credentials, signal }) : Promise.resolve(false);
    };
    const servesOn = attempt !== undefined;
    const options = { incarnations, isEmpty, key, isTaken, servesOn, patience, storePatience, clock };
    const saved = await savePresent(opened, options, context);
    return attempt ? { ...saved, round: attempt.round } : saved;
  } finally {
    for (const member of members.values()) member.close();
  }
}

/** The pods of each incarnation below the given one, the newest incarnation first. */
function oldIncarnations(pods: readonly Pod[], uid: string, below: number): readonly (readonly Pod[])[] {
  const numberOf = (pod: Pod) => incarnationOf(pod.metadata?.labels);
  const old = pods.filter((pod) => isOwnedBy(pod, uid) && numberOf(pod) < below);
  const numbers = [...new Set(old.map(numberOf))].sort((a, b) => b - a);
  return numbers.map((number) => old.filter((pod) => numberOf(pod) === number));
}
