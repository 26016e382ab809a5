// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { ReadSecret } from '../../storage/secret-reader.ts';
import type { DialerFor } from '../act/endpoint/endpoint-dialer.ts';
import { type ChosenMember, chooseMember } from '../act/member/choose-member.ts';
import { clusterMembers } from '../act/member/cluster-members.ts';
import { etcdAccess } from '../act/member/etcd-access.ts';
import type { BackupOrder } from '../observe/backup-order.ts';

export interface MemberPorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialFor: DialerFor;
  readonly readSecret: ReadSecret;
  /** Secrets without our label that were read so far. */
  readonly unlabelled: ReadonlySet<string>;
}

/** The member to watch, chosen by the same rules as for a snapshot. The caller closes its client. */
export async function streamMember(
  { backup, order }: { readonly backup: EtcdBackup; readonly order: BackupOrder },
  ports: MemberPorts,
  signal: AbortSignal,
): Promise<ChosenMember> {
  const namespace = backup.metadata?.namespace ?? '';
  const { endpoints, access } =
    order.cluster === undefined
      ? { ...order, access: await etcdAccess(backup.spec, ports.readSecret) }
      : await clusterMembers(order.cluster, { ...ports, namespace, signal });
  const isLoginLabelled = !ports.unlabelled.has(access.loginSecret ?? '');
  return chooseMember(endpoints, { ...ports, access, isLoginLabelled, signal });
}
