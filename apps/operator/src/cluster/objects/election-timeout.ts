// SPDX-License-Identifier: Apache-2.0
import type { EnvVar } from '@operator-parts/kube';

/** etcd's default, in milliseconds. */
const defaultElectionTimeout = 1_000;

/** The election timeout of a member with these variables, in milliseconds. */
export function electionTimeout(env: readonly EnvVar[]): number {
  const text = env.find(({ name }) => name === 'ETCD_ELECTION_TIMEOUT')?.value ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : defaultElectionTimeout;
}
