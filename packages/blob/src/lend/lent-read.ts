// SPDX-License-Identifier: Apache-2.0
import type { LentRead } from '../blob-store.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';

/** A URL that carries the right to read it, for whoever it is lent to; only if the store itself might connect to where it leads. */
export async function lentRead(url: URL, agents: GuardedAgents): Promise<LentRead> {
  await agents.check(url);
  const ca = url.protocol === 'https:' ? agents.caCertificates : undefined;
  return { url: url.href, headers: {}, ...(ca === undefined ? {} : { ca }) };
}
