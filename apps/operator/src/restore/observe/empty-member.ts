// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { type EndpointAccess, readEntriesCommitted } from '../../cluster/etcd/plain-endpoints.ts';

/**
 * True if the member in this pod has no data that a snapshot could hold. It began without data (its first container, on no volume), and its
 * process reports that it has received nothing since. A learner stays like this if its cluster loses the quorum before the learner receives
 * data.
 */
export async function isEmptyMember({ spec, status }: Pod, access: EndpointAccess): Promise<boolean> {
  // Any other init container may have put data there, as in the first member after a restore.
  if (spec?.initContainers?.some(({ name }) => name !== 'check-dns')) return false;
  const data = spec?.volumes?.find(({ name }) => name === 'etcd-data');
  const etcd = status?.containerStatuses?.find(({ name }) => name === 'etcd');
  if (!data?.emptyDir || !etcd?.state?.running || etcd.restartCount !== 0) return false;
  const committed = await readEntriesCommitted({ ip: status?.podIP ?? '', serverName: '' }, access);
  return committed === 0;
}
