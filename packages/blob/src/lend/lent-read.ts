// SPDX-License-Identifier: Apache-2.0
import type { LentRead } from '../blob-store.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';

/**
 * A URL that carries the right to read it, for whoever it is lent to; only if the store itself might connect to where it leads. Undefined if
 * it leads through a proxy: pods have none.
 */
export async function lentRead(url: URL, agents: GuardedAgents): Promise<LentRead | undefined> {
  if (agents.isProxied(url)) return undefined;
  await agents.check(url);
  const ca = url.protocol === 'https:' ? agents.caCertificates : undefined;
  return { url: url.href, headers: {}, ...(ca === undefined ? {} : { ca }) };
}
