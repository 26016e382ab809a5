// SPDX-License-Identifier: Apache-2.0
import type { Dialer } from '@etcd-operator/etcd';
import { type ChosenMember, chooseMember } from '../../backup/act/member/choose-member.ts';
import { type ClusterSearch, clusterMembers } from '../../backup/act/member/cluster-members.ts';
import { BackupError } from '../../backup/backup-fault.ts';
import { RestoreError } from '../restore-error.ts';
import { dialWhileConnected } from './dial-while-connected.ts';

/** Where the cluster is looked for, and how its members are reached. */
export interface MemberSearch extends ClusterSearch {
  readonly dial: Dialer;
}

/** Above what the reading of a backup takes between two requests. */
const idleMs = 3_600_000;

/**
 * The member that a backup would be taken from: by its pod's owner and its etcd's IDs no other cluster's. Rejects with a `RestoreError` for what waiting does not mend.
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
    const why = error.message.replace('spec.clusterRef', field);
    // The user creates the Secret and the cluster, possibly after the EtcdRestore.
    const mayCome = error.fault.kind === 'passing' || error.fault.reason === 'SecretInvalid';
    throw new RestoreError(mayCome ? 'NotDelivered' : 'SourceRefused', why, { cause: error });
  }
}
