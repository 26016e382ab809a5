// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, invalid, notSupported, required } from '../../validation/field-error.ts';
import { oneOf } from '../core/container-validation.ts';
import { countedStrategy } from '../counted.ts';
import { specStatusStrategy } from '../strategies.ts';
import type { Strategy } from '../strategy.ts';

function constraintDefaults(constraints: JsonObject | undefined): void {
  if (!constraints) return;
  constraints['matchPolicy'] ??= 'Equivalent';
  constraints['namespaceSelector'] ??= {};
  constraints['objectSelector'] ??= {};
  const rules = [...asObjects(constraints['resourceRules']), ...asObjects(constraints['excludeResourceRules'])];
  for (const rule of rules) rule['scope'] ??= '*';
}

export function policyDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  spec['failurePolicy'] ??= 'Fail';
  constraintDefaults(asObject(spec['matchConstraints']));
}

export function policyBindingDefaults(object: JsonObject): void {
  constraintDefaults(asObject(asObject(object['spec'])?.['matchResources']));
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function validateRule(rule: JsonObject, field: string): FieldError[] {
  const missing = (key: string) => (asArray(rule[key]).length === 0 ? [required(`${field}.${key}`)] : []);
  const wrong = asArray(rule['operations']).flatMap((one, index) =>
    oneOf(one, `${field}.operations[${index}]`, operations),
  );
  return [...missing('operations'), ...wrong, ...['apiGroups', 'apiVersions', 'resources'].flatMap(missing)];
}

/** Common validation of policies; their expressions are not compiled. */
function validatePolicy(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const constraints = asObject(spec['matchConstraints']);
  const rules = asObjects(constraints?.['resourceRules']);
  const validations = asObjects(spec['validations']);
  const isEmpty = validations.length === 0 && asArray(spec['auditAnnotations']).length === 0;
  const why = 'validations or auditAnnotations must contain at least one item';
  return [
    ...oneOf(spec['failurePolicy'], 'spec.failurePolicy', ['Fail', 'Ignore']),
    ...(constraints ? [] : [required('spec.matchConstraints')]),
    ...(constraints && rules.length === 0 ? [required('spec.matchConstraints.resourceRules')] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.matchConstraints.resourceRules[${index}]`)),
    ...(isEmpty ? [required('spec.validations', why), required('spec.auditAnnotations', why)] : []),
    ...validations.flatMap(({ expression }, index) =>
      asString(expression)?.trim()
        ? []
        : [required(`spec.validations[${index}].expression`, 'expression is not specified')],
    ),
  ];
}

export const policyStrategy: Strategy = {
  ...specStatusStrategy,
  prepareForCreate(object, context) {
    specStatusStrategy.prepareForCreate?.(object, context);
    object['status'] = {};
  },
  validate: validatePolicy,
  validateUpdate: validatePolicy,
};

function validateBinding(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const actions = asArray(spec['validationActions']).map(String);
  const field = 'spec.validationActions';
  const known = ['Audit', 'Deny', 'Warn'];
  return [
    ...(asString(spec['policyName']) ? [] : [required('spec.policyName')]),
    ...(actions.length === 0 ? [required(field, 'at least one validation action is required')] : []),
    ...actions.flatMap((action, index) =>
      known.includes(action) ? [] : [notSupported(`${field}[${index}]`, action, known)],
    ),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(field, actions, bothActions)] : []),
  ];
}

const bothActions =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

export const policyBindingStrategy: Strategy = {
  ...countedStrategy,
  validate: validateBinding,
  validateUpdate: validateBinding,
};
