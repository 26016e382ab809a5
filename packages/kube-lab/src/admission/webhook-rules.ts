// SPDX-License-Identifier: Apache-2.0

import { toCel } from '../cel/convert.ts';
import { celEnvironment, celMessage, celProgram } from '../cel/environment.ts';
import { asArray, asObject, asObjects, asString, getIn, type JsonObject } from '../json/json.ts';
import { matchesLabelSelector } from '../selectors/label-selector-object.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** True if the rules and selectors of a webhook match a request. CEL conditions are evaluated separately. */
export function coversRequest(webhook: JsonObject, request: AdmissionRequest): boolean {
  const { resource } = request.call;
  if (isExempt(resource.collection)) return false;
  return (
    asObjects(webhook['rules']).some((rule) => matchesRule(rule, request)) &&
    selectsNamespace(asObject(webhook['namespaceSelector']) ?? {}, request) &&
    selectsObject(asObject(webhook['objectSelector']) ?? {}, request)
  );
}

/** No webhook is called for webhook configurations and admission policies: a webhook could prevent its own removal. */
function isExempt(collection: string): boolean {
  return collection.endsWith('.admissionregistration.k8s.io');
}

function matchesRule(rule: JsonObject, { call, operation }: AdmissionRequest): boolean {
  const { resource, info } = call;
  const has = (key: string, value: string) => {
    const list = asArray(rule[key]).map(String);
    return list.includes('*') || list.includes(value);
  };
  const scope = asString(rule['scope']) ?? '*';
  if (scope !== '*' && (scope === 'Namespaced') !== resource.namespaced) return false;
  if (!has('operations', operation) || !has('apiGroups', resource.group)) return false;
  const isExact = has('apiVersions', resource.version);
  return (
    isExact &&
    asArray(rule['resources']).some((pattern) => matchesResource(String(pattern), resource.plural, info.subresource))
  );
}

function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [wanted = '', wantedSub = ''] = pattern.split('/');
  if (wanted !== '*' && wanted !== plural) return false;
  return wantedSub === '*' || wantedSub === subresource;
}

function selectsNamespace(selector: JsonObject, { call, object, old, namespace }: AdmissionRequest): boolean {
  if (Object.keys(selector).length === 0) return true;
  const { resource, core } = call;
  if (resource.collection === 'namespaces') {
    return matchesLabelSelector(selector, asObject(getIn(object ?? old, 'metadata', 'labels')) ?? {});
  }
  if (!resource.namespaced) return true;
  const stored = core.store.get('namespaces', namespace);
  return matchesLabelSelector(selector, asObject(getIn(stored?.object, 'metadata', 'labels')) ?? {});
}

function selectsObject(selector: JsonObject, { object, old }: AdmissionRequest): boolean {
  if (Object.keys(selector).length === 0) return true;
  return [object, old].some(
    (one) => one !== undefined && matchesLabelSelector(selector, asObject(getIn(one, 'metadata', 'labels')) ?? {}),
  );
}

/** The result of CEL conditions: call, do not call, or a condition failed. */
export type ConditionOutcome = 'ask' | 'skip' | { readonly problem: string };

/** Evaluates `matchConditions`. If one condition is false and another one fails, the webhook is skipped. */
export function checkConditions(webhook: JsonObject, review: JsonObject): ConditionOutcome {
  const conditions = asObjects(webhook['matchConditions']);
  if (conditions.length === 0) return 'ask';
  const request = asObject(review['request']) ?? {};
  const variables = {
    object: toCel(undefined, request['object']),
    oldObject: toCel(undefined, request['oldObject']),
    request: toCel(undefined, { ...request, object: null, oldObject: null }),
  };
  const problems: string[] = [];
  for (const { name, expression } of conditions) {
    try {
      if (celProgram(conditionEnvironment(), String(expression))(variables) !== true) return 'skip';
    } catch (error) {
      problems.push(
        `expression '${String(expression)}' resulted in error: ${celMessage(error)} (condition ${String(name)})`,
      );
    }
  }
  return problems.length > 0 ? { problem: problems.join(', ') } : 'ask';
}

let environment: ReturnType<typeof celEnvironment> | undefined;

/** The CEL environment of webhook conditions. */
export function conditionEnvironment(): ReturnType<typeof celEnvironment> {
  environment ??= celEnvironment(['object', 'oldObject', 'request', 'authorizer']);
  return environment;
}
