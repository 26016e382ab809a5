// SPDX-License-Identifier: Apache-2.0
import type { EnvVar } from '@operator-parts/kube';
import { electionTimeout } from './election-timeout.ts';

/** The time that a member gets to close its files. A member that is killed earlier loses nothing that it has acknowledged. */
const closingSeconds = 2;

/**
 * The termination grace period of a member, in seconds. A leader first transfers its leadership, for which raft allows one election
 * timeout. etcd itself would wait up to seven seconds, even if no other member is left (etcd fact 10). If all pods are deleted at once,
 * they return sooner with a shorter period.
 */
export function terminationGrace(env: readonly EnvVar[]): number {
  return closingSeconds + Math.max(1, Math.ceil(electionTimeout(env) / 1_000));
}
