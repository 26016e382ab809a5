// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@etcd-operator/kube';
import { type EndpointAccess, readEntriesCommitted } from '../../cluster/etcd/plain-endpoints.ts';

/**
 * Has the member in this pod nothing that a snapshot could hold? It began without data (its first container, on no volume), and its
 * process says that it has received nothing since: one that was to join a cluster which then lost its quorum waits like this for ever.
 */
export async function isEmptyMember({ spec, status }: Pod, access: EndpointAccess): Promise<boolean> {
  // Whatever else ran before etcd may have put data there, as in the first member after a restore.
  if (spec?.initContainers?.some(({ name }) => name !== 'check-dns')) return false;
  const data = spec?.volumes?.find(({ name }) => name === 'etcd-data');
  const etcd = status?.containerStatuses?.find(({ name }) => name === 'etcd');
  if (!data?.emptyDir || !etcd?.state?.running || etcd.restartCount !== 0) return false;
  const committed = await readEntriesCommitted({ ip: status?.podIP ?? '', serverName: '' }, access);
  return committed === 0;
}
