// SPDX-License-Identifier: Apache-2.0
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  cloneJson,
  equalJson,
  type Json,
  type JsonObject,
} from '../../json/json.ts';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { labelErrors, qualifiedNameErrors, subdomainErrors } from '../../validation/names.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import { keepField } from '../reset-fields.ts';
import { validateAffinity, validateSpread } from './affinity-validation.ts';
import { oneOf, validateContainer, validateInitContainer } from './container-validation.ts';
import { validateDns, validateHostAliases } from './dns-validation.ts';
import { validatePodSecurity } from './security-validation.ts';
import { validateVolumes } from './volume-validation.ts';

/** The validation errors of a new pod. */
export function validatePod(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const errors = validatePodSpec(spec, 'spec');
  if (spec['nodeName'] && asObjects(spec['schedulingGates']).length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

/**
 * The validation errors of a pod's spec, in a Pod or in a template. `claims` are names of volumes that a StatefulSet
 * adds.
 */
export function validatePodSpec(spec: JsonObject, field: string, claims: readonly string[] = []): FieldError[] {
  const own = asObjects(spec['volumes']).filter(({ name }) => !claims.includes(String(name)));
  const volumes = validateVolumes(own, `${field}.volumes`);
  return [
    ...volumes.errors,
    ...validateContainers(spec, field, new Set([...volumes.names, ...claims])),
    ...oneOf(spec['restartPolicy'], `${field}.restartPolicy`, ['Always', 'OnFailure', 'Never']),
    ...oneOf(spec['dnsPolicy'], `${field}.dnsPolicy`, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...validateLabels(asObject(spec['nodeSelector']), `${field}.nodeSelector`),
    ...validatePodSecurity(asObject(spec['securityContext']), `${field}.securityContext`),
    ...validateAffinity(asObject(spec['affinity']) ?? {}, `${field}.affinity`),
    ...validateDns(spec, field),
    ...validateGates(spec, field),
    ...validateSpread(asObjects(spec['topologySpreadConstraints']), `${field}.topologySpreadConstraints`),
    ...validateIdentity(spec, field),
    ...validateDeadline(spec['activeDeadlineSeconds'], `${field}.activeDeadlineSeconds`),
    ...asObjects(spec['tolerations']).flatMap((one, index) =>
      validateToleration(one, `${field}.tolerations[${index}]`),
    ),
    ...validateHostAliases(asObjects(spec['hostAliases']), `${field}.hostAliases`),
  ];
}

function validateGates(spec: JsonObject, field: string): FieldError[] {
  const conditions = asObjects(spec['readinessGates']).map((gate) => asString(gate['conditionType']) ?? '');
  const names = asObjects(spec['schedulingGates']).map((gate) => asString(gate['name']) ?? '');
  return [
    ...conditions.flatMap((name, index) =>
      qualifiedNameErrors(name).map((detail) =>
        invalid(`${field}.readinessGates[${index}].conditionType`, name, detail),
      ),
    ),
    ...names.flatMap((name, index) => {
      const place = `${field}.schedulingGates[${index}]`;
      const errors = qualifiedNameErrors(name).map((detail) => invalid(place, name, detail));
      return names.indexOf(name) < index ? [...errors, duplicate(place, name)] : errors;
    }),
  ];
}

function validateContainers(spec: JsonObject, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const containers = asObjects(spec['containers']);
  const errors: FieldError[] = containers.length === 0 ? [required(`${field}.containers`)] : [];
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const place = `${field}.containers[${index}]`;
    errors.push(...validateContainer(container, place, volumes), ...validateUnique(container, place, names));
  }
  for (const [index, container] of asObjects(spec['initContainers']).entries()) {
    const place = `${field}.initContainers[${index}]`;
    errors.push(...validateContainer(container, place, volumes), ...validateUnique(container, place, names));
    errors.push(...validateInitContainer(container, place));
  }
  return errors;
}

function validateUnique(container: JsonObject, place: string, names: Set<string>): FieldError[] {
  const name = asString(container['name']) ?? '';
  const errors = name !== '' && names.has(name) ? [duplicate(`${place}.name`, name)] : [];
  names.add(name);
  return errors;
}

function validateIdentity(spec: JsonObject, field: string): FieldError[] {
  const check = (key: string, errorsOf: (value: string) => readonly string[]) => {
    const value = asString(spec[key]) ?? '';
    return value === '' ? [] : errorsOf(value).map((detail) => invalid(`${field}.${key}`, value, detail));
  };
  return [
    ...check('hostname', labelErrors),
    ...check('subdomain', labelErrors),
    ...check('serviceAccountName', subdomainErrors),
    ...check('nodeName', subdomainErrors),
    ...check('priorityClassName', subdomainErrors),
  ];
}

function validateToleration(toleration: JsonObject, field: string): FieldError[] {
  const { key, operator, value, effect } = toleration;
  const errors: FieldError[] = [];
  if (key) errors.push(...qualifiedNameErrors(String(key)).map((detail) => invalid(`${field}.key`, key, detail)));
  else if (operator !== 'Exists') {
    errors.push(
      invalid(
        `${field}.operator`,
        operator ?? '',
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (operator === 'Exists' && value) {
    errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  errors.push(...oneOf(operator, `${field}.operator`, ['Equal', 'Exists']));
  errors.push(...oneOf(effect, `${field}.effect`, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']));
  if (toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  return errors;
}

function validateDeadline(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 2147483647)) return [];
  return [invalid(field, value, 'must be between 1 and 2147483647, inclusive')];
}

const allowedChanges =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** The validation errors of a pod update: nearly all of its spec is immutable. */
export function validatePodUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const before = asObject(old['spec']) ?? {};
  if (equalJson(spec, before)) return [];
  if (asObjects(spec['containers']).length !== asObjects(before['containers']).length) {
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
  }
  const errors = [...validatePod(object), ...validateDeadlineChange(spec, before)];
  if (errors.length > 0) return errors;
  const now = comparable(spec);
  const then = comparable(before);
  const changes = [...validateTolerationChange(spec, before), ...validateGateChange(spec, before)];
  if (asObjects(before['schedulingGates']).length > 0) changes.push(...validateGatedChange(now, then));
  if (!equalJson(now, then)) changes.push(forbiddenField('spec', `${allowedChanges}\n`));
  return changes;
}

function validateDeadlineChange(spec: JsonObject, before: JsonObject): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const now = asNumber(spec['activeDeadlineSeconds']);
  const then = asNumber(before['activeDeadlineSeconds']);
  if (then === undefined || now === then) return [];
  if (now === undefined) return [invalid(field, null, 'must not update from a positive integer to nil value')];
  return now > then ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

function validateTolerationChange(spec: JsonObject, before: JsonObject): FieldError[] {
  const now = asArray(spec['tolerations']);
  const missing = asArray(before['tolerations']).some((old) => !now.some((one) => equalJson(one, old)));
  return missing
    ? [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
    : [];
}

/** Scheduling gates can only be removed. */
function validateGateChange(spec: JsonObject, before: JsonObject): FieldError[] {
  const old = asObjects(before['schedulingGates']).map(({ name }) => name);
  return asObjects(spec['schedulingGates']).flatMap(({ name }, index) => {
    if (old.includes(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${String(name)}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/**
 * While a pod has scheduling gates, its node selector can be narrowed. It is then reset in `now`, so that the caller
 * does not find it changed.
 */
function validateGatedChange(now: JsonObject, then: JsonObject): FieldError[] {
  const selector = asObject(now['nodeSelector']) ?? {};
  const old = Object.entries(asObject(then['nodeSelector']) ?? {});
  const isNarrower = old.every(([key, value]) => selector[key] === value);
  keepField(now, then, 'nodeSelector');
  if (isNarrower) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid('spec.nodeSelector', selector, detail)];
}

/** A spec without the mutable fields. */
function comparable(spec: JsonObject): JsonObject {
  const copy = cloneJson(spec);
  for (const list of ['containers', 'initContainers']) {
    for (const container of asObjects(copy[list])) delete container['image'];
  }
  for (const key of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']) delete copy[key];
  return copy;
}
