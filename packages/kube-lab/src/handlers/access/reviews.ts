// SPDX-License-Identifier: Apache-2.0
import { tokenIssuer } from '../../authn/service-account-tokens.ts';
import type { Attributes, PolicyRule } from '../../authz/policy-rule.ts';
import { asArray, asObject, asString, type JsonObject } from '../../json/json.ts';
import { timestamp } from '../../json/timestamp.ts';
import { badRequest, methodNotAllowed } from '../../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import type { Identity } from '../../server/identity.ts';
import { invalid, invalidObject } from '../../validation/field-error.ts';
import { trackFields } from '../field-tracking.ts';
import { readObjectBody } from '../object-body.ts';
import { userInfo } from './user-info.ts';

/** Review kinds: POSTed, answered, never stored. */
export const reviewKinds: ReadonlySet<string> = new Set([
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Answers a review. */
export function review(call: Call): ApiResponse {
  if (call.info.verb !== 'create') throw methodNotAllowed();
  const body = readObjectBody(call);
  const answered = answer(call, body);
  return jsonResponse(201, JSON.stringify(answered));
}

function answer(call: Call, body: JsonObject): JsonObject {
  switch (call.resource.plural) {
    case 'tokenreviews':
      trackFields(call, undefined, body);
      return { ...body, status: tokenStatus(call, asObject(body['spec']) ?? {}) };
    case 'selfsubjectreviews': {
      const metadata = { creationTimestamp: timestamp(call.core.clock) };
      return {
        kind: body['kind'] ?? '',
        apiVersion: body['apiVersion'] ?? '',
        metadata,
        status: { userInfo: userInfo(call.identity) },
      };
    }
    case 'selfsubjectrulesreviews':
      return rulesReview(call, body);
    default:
      trackFields(call, undefined, body);
      return { ...body, status: accessStatus(call, asObject(body['spec']) ?? {}) };
  }
}

function tokenStatus(call: Call, spec: JsonObject): JsonObject {
  const token = asString(spec['token']) ?? '';
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const wanted = asArray(spec['audiences']).map(String);
  const audiences = wanted.length > 0 ? wanted : [tokenIssuer];
  const check = call.core.tokens.check(token, audiences);
  if (!check.ok) return { user: {}, error: check.problem };
  return { authenticated: true, user: userInfo(check.identity), audiences: [...check.audiences] };
}

function accessStatus(call: Call, spec: JsonObject): JsonObject {
  const { resource, core, info } = call;
  const isSelf = resource.plural === 'selfsubjectaccessreviews';
  const attributes = attributesOf(call, spec);
  if (
    resource.plural === 'localsubjectaccessreviews' &&
    attributes.kind === 'resource' &&
    attributes.namespace !== info.namespace
  ) {
    const why = `must match metadata.namespace: ${info.namespace}`;
    const error = invalid('spec.resourceAttributes.namespace', attributes.namespace, why);
    throw invalidObject({ group: resource.group, kind: '' }, '', [error]);
  }
  const identity = isSelf ? call.identity : identityOf(call, spec);
  const { allowed, reason } = core.authorizer.decide(identity, attributes);
  return { allowed, ...(reason ? { reason } : {}) };
}

function identityOf({ resource }: Call, spec: JsonObject): Identity {
  const user = asString(spec['user']) ?? '';
  const groups = asArray(spec['groups']).map(String);
  if (user === '' && groups.length === 0) {
    const error = invalid('spec.user', '', 'at least one of user or group must be specified');
    throw invalidObject({ group: resource.group, kind: '' }, '', [error]);
  }
  return { user, groups };
}

function attributesOf({ resource }: Call, spec: JsonObject): Attributes {
  const wanted = asObject(spec['resourceAttributes']);
  const path = asObject(spec['nonResourceAttributes']);
  if (Boolean(wanted) === Boolean(path)) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const error = wanted
      ? invalid('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes')
      : invalid('spec.resourceAttributes', null, detail);
    throw invalidObject({ group: resource.group, kind: '' }, '', [error]);
  }
  const text = (from: JsonObject | undefined, key: string) => asString(from?.[key]) ?? '';
  if (path) return { kind: 'path', verb: text(path, 'verb'), path: text(path, 'path') };
  return {
    kind: 'resource',
    verb: text(wanted, 'verb'),
    group: text(wanted, 'group'),
    resource: text(wanted, 'resource'),
    subresource: text(wanted, 'subresource'),
    namespace: text(wanted, 'namespace'),
    name: text(wanted, 'name'),
  };
}

function rulesReview(call: Call, body: JsonObject): JsonObject {
  const namespace = asString(asObject(body['spec'])?.['namespace']) ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const rules = call.core.authorizer.rulesFor(call.identity, namespace);
  const resourceRules = rules.filter((rule) => rule.nonResourceURLs.length === 0).map(resourceRule);
  const nonResourceRules = rules
    .filter((rule) => rule.nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }));
  return {
    kind: body['kind'] ?? '',
    apiVersion: body['apiVersion'] ?? '',
    metadata: {},
    spec: {},
    status: { resourceRules, nonResourceRules, incomplete: false },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return {
    verbs: [...verbs],
    apiGroups: [...apiGroups],
    resources: [...resources],
    ...(resourceNames.length > 0 ? { resourceNames: [...resourceNames] } : {}),
  };
}
