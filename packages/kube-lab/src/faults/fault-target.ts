// SPDX-License-Identifier: Apache-2.0
import type { RequestInfo } from '../server/request-info.ts';
import type { FaultTarget } from './fault-scope.ts';

/** The attributes of a client's request that a fault's scope is compared with. */
export function faultTarget(info: RequestInfo, client: string): FaultTarget {
  if (info.kind === 'path')
    return { client, verb: info.verb, resource: '', subresource: '', namespace: '', name: info.path };
  const { verb, group, subresource, namespace, name } = info;
  const resource = group ? `${info.resource}.${group}` : info.resource;
  return { client, verb, resource, subresource, namespace, name };
}
