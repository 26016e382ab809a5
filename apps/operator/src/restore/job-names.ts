// SPDX-License-Identifier: Apache-2.0
import type { EtcdRestore } from '../api/etcd-restore.ts';
import { identityOf } from '../identity/object-identity.ts';
import { restoreFacts } from './observe/restore-facts.ts';

/**
 * The common prefix of the job names for one generation of a restore. A new spec means new work, so jobs of another generation are ignored.
 */
export function jobPrefix(restore: EtcdRestore): string {
  const { namespace, name, uid } = identityOf(restore);
  return `${namespace}/${name}/${uid}/${restore.metadata?.generation ?? 0}/`;
}

/** The names of a restore's jobs. Each safety snapshot has a job of its own, and so has each write that follows a safety snapshot. */
export function jobNames(restore: EtcdRestore) {
  const prefix = jobPrefix(restore);
  const { safety } = restoreFacts(restore);
  const round = safety ? (safety.round ?? 1) : 0;
  return {
    inspect: `${prefix}inspect`,
    verify: `${prefix}verify`,
    save: `${prefix}save/${round + 1}`,
    deliver: (agent: string) => `${prefix}deliver/${agent}`,
    compare: `${prefix}compare`,
    write: `${prefix}write/${round}`,
  } as const;
}
