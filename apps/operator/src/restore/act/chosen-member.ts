// SPDX-License-Identifier: Apache-2.0
import type { Dialer } from '@operator-parts/etcd';
import { type ChosenMember, chooseMember } from '../../backup/act/member/choose-member.ts';
import { type ClusterSearch, clusterMembers } from '../../backup/act/member/cluster-members.ts';
import { BackupError } from '../../backup/backup-fault.ts';
import { RestoreError } from '../restore-error.ts';
import { dialWhileConnected } from './dial-while-connected.ts';

/** Where to look for the cluster, and how to reach its members. */
export interface MemberSearch extends ClusterSearch {
  readonly dial: Dialer;
}

/** Longer than the time between two requests while a backup is read. */
const idleMs = 3_600_000;

/**
 * Runs work on the member from which a backup would be taken. The owner of the pod and the IDs of its etcd show that the member belongs to
 * this cluster. If no member can be chosen, rejects with a `RestoreError`: `SourceRefused` if waiting cannot solve the problem, otherwise
 * `NotDelivered`.
 *
 * @param field the field that names the cluster
 */
export async function withMember<T>(
  { name, field }: { readonly name: string; readonly field: string },
  search: MemberSearch,
  work: (chosen: ChosenMember) => Promise<T>,
): Promise<T> {
  const { clock, dial, signal } = search;
  try {
    const { endpoints, access } = await clusterMembers(name, search);
    const options = { clock, dialFor: () => dialWhileConnected(dial), access, isLoginLabelled: true, idleMs, signal };
    const chosen = await chooseMember(endpoints, options);
    try {
      return await work(chosen);
    } finally {
      chosen.client.close();
    }
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const why = error.message.replaceAll('spec.clusterRef', field);
    // The user may create the Secret and the cluster after the EtcdRestore.
    const mayCome = error.fault.kind === 'passing' || error.fault.reason === 'SecretInvalid';
    throw new RestoreError(mayCome ? 'NotDelivered' : 'SourceRefused', why, { cause: error });
  }
}
