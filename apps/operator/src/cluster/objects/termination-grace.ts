// SPDX-License-Identifier: Apache-2.0
import type { EnvVar } from '@etcd-operator/kube';

/** etcd's default election timeout, in milliseconds. */
const defaultElectionTimeout = 1_000;

/** For closing its files; it loses nothing that it has acknowledged if it is killed before. */
const closingSeconds = 2;

/**
 * How long a member may take to end, in seconds. A leader first hands its leadership over, for which raft allows one election timeout. etcd
 * itself waits for seven seconds, even if no member is left to take it: if all pods are deleted at once, they would come back that much
 * later.
 */
export function terminationGrace(env: readonly EnvVar[]): number {
  const text = env.find(({ name }) => name === 'ETCD_ELECTION_TIMEOUT')?.value ?? '';
  const electionTimeout = /^\d{1,6}$/.test(text) ? Number(text) : defaultElectionTimeout;
  return closingSeconds + Math.max(1, Math.ceil(electionTimeout / 1_000));
}
