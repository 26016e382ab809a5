// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '@etcd-operator/tools/cluster';

/** One kind of call that a service account has made. */
export interface RecordedCall {
  readonly verb: string;
  readonly group: string;
  /** `pods`, or `pods/log`. */
  readonly resource: string;
  readonly isForbidden: boolean;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Every different call of a service account on objects, from the API server's own record. */
export async function recordedCalls(
  cluster: Cluster,
  namespace: string,
  account: string,
): Promise<readonly RecordedCall[]> {
  const lines = (await readFile(join(cluster.layout.logs, 'audit.log'), 'utf8')).trimEnd().split('\n');
  const username = `system:serviceaccount:${namespace}:${account}`;
  const calls = new Map<string, RecordedCall>();
  for (const event of lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEvent)) {
    if (event.user.username !== username || event.objectRef?.resource === undefined) continue;
    const { apiGroup: group = '', resource: name, subresource } = event.objectRef;
    const resource = subresource === undefined ? name : `${name}/${subresource}`;
    const isForbidden = event.responseStatus?.code === 403;
    calls.set([event.verb, group, resource, isForbidden].join(' '), { verb: event.verb, group, resource, isForbidden });
  }
  return [...calls.values()];
}
