// SPDX-License-Identifier: Apache-2.0
import type { PresignedRead } from '../blob-store.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';

/**
 * Makes a presigned read of a URL, after checking that the store itself may connect to its addresses now. Undefined if
 * the URL needs a proxy, which pods do not have.
 */
export async function toPresignedRead(url: URL, agents: GuardedAgents): Promise<PresignedRead | undefined> {
  if (agents.isProxied(url)) return undefined;
  await agents.check(url);
  const ca = url.protocol === 'https:' ? agents.caCertificates : undefined;
  return { url: url.href, headers: {}, ...(ca === undefined ? {} : { ca }) };
}
