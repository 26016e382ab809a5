// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { type FieldError, invalid, notSupported, required } from '../../validation/field-error.ts';
import { pathSegmentErrors, subdomainErrors } from '../../validation/names.ts';
import type { Strategy } from '../strategy.ts';

const group = 'rbac.authorization.k8s.io';

export function bindingDefaults(object: JsonObject): void {
  const role = asObject(object['roleRef']);
  if (role) role['apiGroup'] = role['apiGroup'] || group;
  for (const subject of asObjects(object['subjects'])) {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') subject['apiGroup'] ??= group;
  }
}

function validateRule(rule: JsonObject, field: string, isClusterRole: boolean): FieldError[] {
  const count = (key: string) => asArray(rule[key]).length;
  const errors: FieldError[] = [];
  if (count('verbs') === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (count('nonResourceURLs') > 0) {
    if (!isClusterRole) {
      const detail = 'namespaced rules cannot apply to non-resource URLs';
      errors.push(invalid(`${field}.nonResourceURLs`, asArray(rule['nonResourceURLs']).map(String), detail));
    }
    if (count('apiGroups') + count('resources') + count('resourceNames') > 0) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalid(`${field}.nonResourceURLs`, asArray(rule['nonResourceURLs']).map(String), detail));
    }
    return errors;
  }
  if (count('apiGroups') === 0)
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (count('resources') === 0)
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function validateAggregation(rule: JsonObject | undefined): FieldError[] {
  if (!rule) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = asObjects(rule['clusterRoleSelectors']);
  if (selectors.length === 0) {
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => validateLabelSelector(selector, `${field}[${index}]`));
}

function roleStrategyOf(isClusterRole: boolean): Strategy {
  const validate = (object: JsonObject) => [
    ...asObjects(object['rules']).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, isClusterRole)),
    ...validateAggregation(asObject(object['aggregationRule'])),
  ];
  return { validateName: pathSegmentErrors, allowCreateOnUpdate: true, validate, validateUpdate: validate };
}

export const roleStrategy: Strategy = roleStrategyOf(false);
export const clusterRoleStrategy: Strategy = roleStrategyOf(true);

function validateSubject(subject: JsonObject, field: string, namespaced: boolean): FieldError[] {
  const { kind, name, namespace } = subject;
  const errors: FieldError[] = name ? [] : [required(`${field}.name`)];
  const apiGroup = asString(subject['apiGroup']) ?? '';
  switch (kind) {
    case 'ServiceAccount':
      if (name) errors.push(...subdomainErrors(String(name)).map((detail) => invalid(`${field}.name`, name, detail)));
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!namespaced && !namespace) errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]));
      return errors;
    default:
      return [...errors, notSupported(`${field}.kind`, kind ?? '', ['ServiceAccount', 'User', 'Group'])];
  }
}

/** A reference as the real server prints it. */
function shownRole({ apiGroup, kind, name }: JsonObject): JsonObject {
  return { APIGroup: apiGroup ?? '', Kind: kind ?? '', Name: name ?? '' };
}

function bindingStrategyOf(namespaced: boolean): Strategy {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const validate = (object: JsonObject): FieldError[] => {
    const role = asObject(object['roleRef']) ?? {};
    const errors: FieldError[] = [];
    if (role['apiGroup'] !== group) errors.push(notSupported('roleRef.apiGroup', role['apiGroup'] ?? '', [group]));
    if (!kinds.includes(asString(role['kind']) ?? ''))
      errors.push(notSupported('roleRef.kind', role['kind'] ?? '', kinds));
    if (!role['name']) errors.push(required('roleRef.name'));
    else
      errors.push(
        ...pathSegmentErrors(String(role['name'])).map((detail) => invalid('roleRef.name', role['name'], detail)),
      );
    const subjects = asObjects(object['subjects']);
    return [
      ...errors,
      ...subjects.flatMap((subject, index) => validateSubject(subject, `subjects[${index}]`, namespaced)),
    ];
  };
  return {
    validateName: pathSegmentErrors,
    allowCreateOnUpdate: true,
    validate,
    validateUpdate(object, old) {
      const fixed = equalJson(object['roleRef'], old['roleRef'])
        ? []
        : [invalid('roleRef', shownRole(asObject(object['roleRef']) ?? {}), 'cannot change roleRef')];
      return [...validate(object), ...fixed];
    },
  };
}

export const roleBindingStrategy: Strategy = bindingStrategyOf(true);
export const clusterRoleBindingStrategy: Strategy = bindingStrategyOf(false);
