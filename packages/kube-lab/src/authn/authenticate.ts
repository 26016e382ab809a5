// SPDX-License-Identifier: Apache-2.0
import { authorize } from '../authz/authorize.ts';
import { ApiError, badRequest } from '../server/api-error.ts';
import { type ApiRequest, header } from '../server/api-request.ts';
import type { Core } from '../server/core.ts';
import { anonymousIdentity, type Identity } from '../server/identity.ts';
import type { ResourceRequest } from '../server/request-info.ts';
import { tokenIssuer } from './service-account-tokens.ts';

/** Whom a request comes from: the way in may know, else its token says, else nobody. Then whom it wants to be taken for. */
export function authenticate(core: Core, request: ApiRequest): Identity {
  return impersonated(core, request, authenticated(core, request));
}

function authenticated(core: Core, request: ApiRequest): Identity {
  if (request.identity) return request.identity;
  const authorization = header(request, 'authorization') ?? '';
  if (!authorization.startsWith('Bearer ')) return anonymousIdentity;
  const check = core.tokens.check(authorization.slice('Bearer '.length).trim(), [tokenIssuer]);
  if (check.ok) return check.identity;
  core.log.debug('a bearer token was refused', { problem: check.problem });
  throw new ApiError(401, 'Unauthorized', 'Unauthorized');
}

function impersonated(core: Core, request: ApiRequest, identity: Identity): Identity {
  const user = header(request, 'impersonate-user');
  const groups = list(request.headers['impersonate-group']);
  const uid = header(request, 'impersonate-uid');
  const extra = Object.entries(request.headers).filter(([name]) => name.startsWith('impersonate-extra-'));
  if (user === undefined) {
    if (groups.length + extra.length > 0 || uid !== undefined) {
      const who = `Groups:[]string{${groups.map((name) => JSON.stringify(name)).join(', ')}}`;
      const info = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid ?? '')}, ${who}, Extra:map[string][]string(nil)}`;
      throw badRequest(`requested ${info} without impersonating a user name`);
    }
    return identity;
  }
  const may = (resource: string, name: string, group = '', namespace = '') =>
    authorize(core.authorizer, identity, impersonation(resource, name, group, namespace));
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  if (account) may('serviceaccounts', account[2] ?? '', '', account[1] ?? '');
  else may('users', user);
  for (const name of groups) may('groups', name);
  const own = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : [];
  const given = groups.length > 0 ? groups : own;
  const all = user === anonymousIdentity.user ? ['system:unauthenticated'] : [...given, 'system:authenticated'];
  return {
    user,
    groups: [...new Set(all)],
    ...(uid === undefined ? {} : { uid }),
    ...(identity.client === undefined ? {} : { client: identity.client }),
    ...(extra.length > 0
      ? { extra: Object.fromEntries(extra.map(([name, value]) => [extraKey(name), list(value)])) }
      : {}),
  };
}

function extraKey(name: string): string {
  return decodeURIComponent(name.slice('impersonate-extra-'.length));
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function impersonation(resource: string, name: string, group: string, namespace: string): ResourceRequest {
  const verb = 'impersonate' as ResourceRequest['verb'];
  return { kind: 'resource', verb, group, version: 'v1', namespace, resource, name, subresource: '', path: '' };
}
