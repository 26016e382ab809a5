// SPDX-License-Identifier: Apache-2.0
import { attributesOf, authorize } from '../authz/authorize.ts';
import { ApiError, badRequest } from '../server/api-error.ts';
import { type ApiRequest, header } from '../server/api-request.ts';
import type { Core } from '../server/core.ts';
import { anonymousIdentity, type Identity } from '../server/identity.ts';
import type { RequestInfo, ResourceRequest } from '../server/request-info.ts';
import { tokenIssuer } from './service-account-tokens.ts';

/**
 * The user of a request: from the connection, else from the bearer token, else anonymous. Then impersonation is
 * applied.
 */
export function authenticate(core: Core, request: ApiRequest, info: RequestInfo): Identity {
  return impersonated(core, request, info, authenticated(core, request));
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

function impersonated(core: Core, request: ApiRequest, info: RequestInfo, identity: Identity): Identity {
  const user = header(request, 'impersonate-user');
  const groups = list(request.headers['impersonate-group']);
  const uid = header(request, 'impersonate-uid');
  const extra = Object.entries(request.headers).filter(([name]) => name.startsWith('impersonate-extra-'));
  if (user === undefined) {
    if (groups.length + extra.length > 0 || uid !== undefined) throw userless(groups, uid);
    return identity;
  }
  checkImpersonation(core, identity, info, user, groups);
  return {
    user,
    groups: groupsOf(user, groups),
    ...(uid === undefined ? {} : { uid }),
    ...(identity.client === undefined ? {} : { client: identity.client }),
    ...(extra.length > 0
      ? { extra: Object.fromEntries(extra.map(([name, value]) => [extraKey(name), list(value)])) }
      : {}),
  };
}

function userless(groups: readonly string[], uid: string | undefined): ApiError {
  const who = `Groups:[]string{${groups.map((name) => JSON.stringify(name)).join(', ')}}`;
  const info = `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid ?? '')}, ${who}, Extra:map[string][]string(nil)}`;
  return badRequest(`requested ${info} without impersonating a user name`);
}

const accountPattern = /^system:serviceaccount:([^:]+):([^:]+)$/;

function groupsOf(user: string, groups: readonly string[]): readonly string[] {
  if (user === anonymousIdentity.user) return ['system:unauthenticated'];
  const account = accountPattern.exec(user);
  const own = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : [];
  return [...new Set([...(groups.length > 0 ? groups : own), 'system:authenticated'])];
}

function checkImpersonation(
  core: Core,
  identity: Identity,
  info: RequestInfo,
  user: string,
  groups: readonly string[],
): void {
  const account = accountPattern.exec(user);
  const wanted = [
    account ? impersonation('serviceaccounts', account[2] ?? '', account[1] ?? '') : impersonation('users', user, ''),
    ...groups.map((name) => impersonation('groups', name, '')),
  ];
  if (wanted.every((one) => core.authorizer.decide(identity, attributesOf(one)).allowed)) return;
  // The error names the verb that would have allowed the impersonation.
  const mode = account ? 'serviceaccount' : 'user-info';
  const verb = `impersonate-on:${mode}:${info.verb}` as ResourceRequest['verb'];
  authorize(core.authorizer, identity, { ...info, verb } as RequestInfo);
}

function extraKey(name: string): string {
  return decodeURIComponent(name.slice('impersonate-extra-'.length));
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function impersonation(resource: string, name: string, namespace: string): ResourceRequest {
  const verb = 'impersonate' as ResourceRequest['verb'];
  return { kind: 'resource', verb, group: '', version: 'v1', namespace, resource, name, subresource: '', path: '' };
}
