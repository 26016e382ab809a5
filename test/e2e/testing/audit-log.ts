// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '@etcd-operator/tools/cluster';
import type { RecordedCall } from '@etcd-operator/tools/deploy/testing';

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

const prefix = 'system:serviceaccount:';
/** The user agent of our programs; a test may use the same account with kubectl. */
const agent = 'etcd-operator';

/**
 * All distinct calls of our programs on objects, with the chosen service accounts, from the API server's audit log.
 * @param chosen by `namespace:name`
 */
export async function recordedCalls(
  cluster: Cluster,
  chosen: (account: string) => boolean,
): Promise<readonly RecordedCall[]> {
  const lines = (await readFile(join(cluster.layout.logs, 'audit.log'), 'utf8')).split('\n');
  const calls = new Map<string, RecordedCall>();
  for (const line of lines.slice(0, -1)) {
    const { verb, user, userAgent = '', objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
    const account = user.username.slice(prefix.length);
    const isOurs = user.username.startsWith(prefix) && userAgent.startsWith(agent);
    if (!isOurs || !chosen(account) || objectRef?.resource === undefined) continue;
    const { apiGroup: group = '', resource: plural, subresource, name = '' } = objectRef;
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const call = { account, verb, group, resource, name, isForbidden: responseStatus?.code === 403 };
    calls.set(Object.values(call).join(' '), call);
  }
  return [...calls.values()];
}
