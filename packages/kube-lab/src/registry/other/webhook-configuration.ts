// SPDX-License-Identifier: Apache-2.0
import { conditionEnvironment } from '../../admission/webhook-rules.ts';
import { celProblem } from '../../cel/environment.ts';
import { asArray, asNumber, asObject, asObjects, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { subdomainErrors } from '../../validation/names.ts';
import { oneOf } from '../core/container-validation.ts';
import { metadataOf } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

function webhookDefaults(webhook: JsonObject): void {
  webhook['failurePolicy'] ??= 'Fail';
  webhook['matchPolicy'] ??= 'Equivalent';
  webhook['namespaceSelector'] ??= {};
  webhook['objectSelector'] ??= {};
  webhook['timeoutSeconds'] ??= 10;
  for (const rule of asObjects(webhook['rules'])) rule['scope'] ??= '*';
  const service = asObject(asObject(webhook['clientConfig'])?.['service']);
  if (service) service['port'] ??= 443;
}

export function validatingDefaults(object: JsonObject): void {
  for (const webhook of asObjects(object['webhooks'])) webhookDefaults(webhook);
}

export function mutatingDefaults(object: JsonObject): void {
  for (const webhook of asObjects(object['webhooks'])) {
    webhookDefaults(webhook);
    webhook['reinvocationPolicy'] ??= 'Never';
  }
}

function validateWebhook(webhook: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = asString(webhook['name']) ?? '';
  if (name === '') errors.push(required(`${field}.name`));
  else {
    errors.push(...subdomainErrors(name).map((detail) => invalid(`${field}.name`, name, detail)));
    if (name.split('.').length < 3) {
      errors.push(invalid(`${field}.name`, name, 'should be a domain with at least three segments separated by dots'));
    }
  }
  for (const [index, rule] of asObjects(webhook['rules']).entries()) {
    errors.push(...validateRule(rule, `${field}.rules[${index}]`));
  }
  errors.push(...oneOf(webhook['failurePolicy'], `${field}.failurePolicy`, ['Fail', 'Ignore']));
  errors.push(...oneOf(webhook['matchPolicy'], `${field}.matchPolicy`, ['Equivalent', 'Exact']));
  for (const key of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateLabelSelector(asObject(webhook[key]) ?? {}, `${field}.${key}`));
  }
  if (!webhook['sideEffects']) errors.push(required(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else errors.push(...oneOf(webhook['sideEffects'], `${field}.sideEffects`, ['None', 'NoneOnDryRun']));
  const timeout = asNumber(webhook['timeoutSeconds']) ?? 10;
  if (timeout < 1 || timeout > 30) {
    errors.push(invalid(`${field}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'));
  }
  return [
    ...errors,
    ...validateConditions(webhook, field),
    ...validateClient(asObject(webhook['clientConfig']) ?? {}, `${field}.clientConfig`),
    ...validateVersions(webhook, field),
  ];
}

function validateRule(rule: JsonObject, field: string): FieldError[] {
  return ['operations', 'apiGroups', 'apiVersions', 'resources']
    .filter((key) => asArray(rule[key]).length === 0)
    .map((key) => required(`${field}.${key}`))
    .concat(oneOf(rule['scope'], `${field}.scope`, ['*', 'Cluster', 'Namespaced']));
}

function validateConditions(webhook: JsonObject, field: string): FieldError[] {
  return asObjects(webhook['matchConditions']).flatMap((condition, index) => {
    const place = `${field}.matchConditions[${index}]`;
    const expression = asString(condition['expression']) ?? '';
    if (expression.trim() === '') return [required(`${place}.expression`)];
    const problem = celProblem(conditionEnvironment(), expression);
    return problem
      ? [invalid(`${place}.expression`, expression, `compilation failed: ERROR: <input>: ${problem}`)]
      : [];
  });
}

function validateClient(client: JsonObject, field: string): FieldError[] {
  const hasUrl = client['url'] !== undefined;
  if (hasUrl === (client['service'] !== undefined))
    return [required(field, 'exactly one of url or service is required')];
  if (!hasUrl) return [];
  const url = asString(client['url']) ?? '';
  if (URL.canParse(url) && new URL(url).protocol !== 'https:') {
    const scheme = new URL(url).protocol.slice(0, -1);
    return [
      invalid(`${field}.url`, scheme, "'https' is the only allowed URL scheme; desired format: https://host[/path]"),
    ];
  }
  return URL.canParse(url)
    ? []
    : [required(`${field}.url`, 'url must be a valid URL; desired format: https://host[/path]')];
}

function validateVersions(webhook: JsonObject, field: string): FieldError[] {
  const versions = asArray(webhook['admissionReviewVersions']).map(String);
  const place = `${field}.admissionReviewVersions`;
  if (versions.length === 0) return [required(place, 'must specify one of v1, v1beta1')];
  if (versions.some((version) => version === 'v1' || version === 'v1beta1')) return [];
  return [invalid(place, versions, 'must include at least one of v1, v1beta1')];
}

function validate(object: JsonObject): readonly FieldError[] {
  return asObjects(object['webhooks']).flatMap((webhook, index) => validateWebhook(webhook, `webhooks[${index}]`));
}

/** Webhook configurations count their changes in the generation. */
export const webhookConfigurationStrategy: Strategy = {
  prepareForCreate(object) {
    metadataOf(object)['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    if (equalJson(object['webhooks'], old['webhooks'])) return;
    metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
  validate,
  validateUpdate: validate,
};
