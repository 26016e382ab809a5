// SPDX-License-Identifier: Apache-2.0
import type { RequestRecord } from '@etcd-operator/operator/testing/doors';

/** Requests that leave nothing which anybody acts on: events are told and never read, reviews are questions. */
const untold = /\/(events|leases|(self)?subject[a-z]*reviews|tokenreviews)(\/|\?|$)/;

/** Does it change something that an operator may find again? */
export function isWrite({ to, what }: RequestRecord): boolean {
  return to !== 'kubernetes' || !(untold.test(what) || what.includes('dryRun=All'));
}

/** A write in a few words, without what differs from run to run: `PATCH etcdclusters/status`, `Cluster/MemberAdd`. */
export function wordsOf({ to, what }: RequestRecord): string {
  if (to !== 'kubernetes') return `${to}: ${what.split(' /')[0]}`;
  const [method = '', url = ''] = what.split(' ');
  const parts = (url.split('?')[0] ?? '').split('/').filter(Boolean);
  const from = parts.indexOf('namespaces');
  const [plural = '', , subresource] = parts.slice(from < 0 ? (parts[0] === 'api' ? 2 : 3) : from + 2);
  return `${method} ${plural}${subresource ? `/${subresource}` : ''}`;
}
