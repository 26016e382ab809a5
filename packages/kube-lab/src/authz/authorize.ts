// SPDX-License-Identifier: Apache-2.0
import { ApiError, forbidden } from '../server/api-error.ts';
import type { Identity } from '../server/identity.ts';
import type { RequestInfo } from '../server/request-info.ts';
import type { Authorizer } from './authorizer.ts';
import type { Attributes } from './policy-rule.ts';

/** The attributes of a request, as RBAC rules see them. */
export function attributesOf(info: RequestInfo): Attributes {
  if (info.kind === 'path') return { kind: 'path', verb: info.verb, path: info.path };
  const { verb, group, resource, subresource, namespace, name } = info;
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}

/** Throws a 403 with the real server's message unless the request is allowed. */
export function authorize(authorizer: Authorizer, identity: Identity, info: RequestInfo): void {
  const attributes = attributesOf(info);
  const decision = authorizer.decide(identity, attributes);
  if (decision.allowed) return;
  const because = decision.reason ? `: ${decision.reason}` : '';
  const user = `User ${JSON.stringify(identity.user)}`;
  if (attributes.kind === 'path') {
    throw new ApiError(
      403,
      'Forbidden',
      `forbidden: ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${because}`,
      {},
    );
  }
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const why = `${user} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${place}${because}`;
  throw forbidden({ group, plural: resource }, name, why);
}
