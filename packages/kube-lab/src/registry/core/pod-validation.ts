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
import { idErrors, oneOf, validateContainer, validateInitContainer } from './container-validation.ts';
import { validateVolumes } from './volume-validation.ts';

/** What is wrong with a new pod. */
export function validatePod(object: JsonObject): readonly FieldError[] {
  return validatePodSpec(asObject(object['spec']) ?? {}, 'spec');
}

/** What is wrong with a pod's spec, in a Pod or in a template. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  const volumes = asObjects(spec['volumes']);
  const names = new Set(volumes.map((volume) => String(volume['name'])));
  return [
    ...validateVolumes(volumes, `${field}.volumes`),
    ...validateContainers(spec, field, names),
    ...oneOf(spec['restartPolicy'], `${field}.restartPolicy`, ['Always', 'OnFailure', 'Never']),
    ...oneOf(spec['dnsPolicy'], `${field}.dnsPolicy`, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...validateLabels(asObject(spec['nodeSelector']), `${field}.nodeSelector`),
    ...validateIdentity(spec, field),
    ...validateSecurity(asObject(spec['securityContext']), `${field}.securityContext`),
    ...asObjects(spec['tolerations']).flatMap((one, index) =>
      validateToleration(one, `${field}.tolerations[${index}]`),
    ),
    ...validateDeadline(spec['activeDeadlineSeconds'], `${field}.activeDeadlineSeconds`),
    ...validateAffinity(asObject(spec['affinity']) ?? {}, `${field}.affinity`),
    ...validateSpread(asObjects(spec['topologySpreadConstraints']), `${field}.topologySpreadConstraints`),
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

function validateSecurity(context: JsonObject | undefined, field: string): FieldError[] {
  return ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => idErrors(context?.[key], `${field}.${key}`));
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
    errors.push(invalid(`${field}.operator`, toleration, "value must be empty when `operator` is 'Exists'"));
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

function validateAffinity(affinity: JsonObject, field: string): FieldError[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const terms = asObject(affinity[kind]) ?? {};
    const requiredField = `${field}.${kind}.requiredDuringSchedulingIgnoredDuringExecution`;
    const preferredField = `${field}.${kind}.preferredDuringSchedulingIgnoredDuringExecution`;
    return [
      ...asObjects(terms['requiredDuringSchedulingIgnoredDuringExecution']).flatMap((term, index) =>
        validateTopologyKey(term, `${requiredField}[${index}]`),
      ),
      ...asObjects(terms['preferredDuringSchedulingIgnoredDuringExecution']).flatMap((term, index) => [
        ...validateWeight(term, `${preferredField}[${index}]`),
        ...validateTopologyKey(asObject(term['podAffinityTerm']) ?? {}, `${preferredField}[${index}].podAffinityTerm`),
      ]),
    ];
  });
}

function validateWeight(term: JsonObject, field: string): FieldError[] {
  const weight = asNumber(term['weight']) ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function validateTopologyKey(term: JsonObject, field: string): FieldError[] {
  const key = asString(term['topologyKey']) ?? '';
  const errors = qualifiedNameErrors(key).map((detail) => invalid(`${field}.topologyKey`, key, detail));
  return key === '' ? [required(`${field}.topologyKey`, 'can not be empty'), ...errors] : errors;
}

function validateSpread(constraints: readonly JsonObject[], field: string): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const place = `${field}[${index}]`;
    const skew = asNumber(constraint['maxSkew']) ?? 0;
    const errors: FieldError[] = [];
    if (skew <= 0) errors.push(invalid(`${place}.maxSkew`, skew, 'must be greater than zero'));
    if (!constraint['topologyKey']) errors.push(required(`${place}.topologyKey`, 'can not be empty'));
    errors.push(
      ...oneOf(constraint['whenUnsatisfiable'], `${place}.whenUnsatisfiable`, ['DoNotSchedule', 'ScheduleAnyway']),
    );
    return errors;
  });
}

const allowedChanges =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What is wrong with a change of a pod: nearly all of its spec stays as it is. */
export function validatePodUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const before = asObject(old['spec']) ?? {};
  if (equalJson(spec, before)) return [];
  if (asObjects(spec['containers']).length !== asObjects(before['containers']).length) {
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
  }
  const errors = [...validatePod(object), ...validateDeadlineChange(spec, before)];
  if (errors.length > 0) return errors;
  if (!equalJson(comparable(spec), comparable(before))) return [forbiddenField('spec', `${allowedChanges}\n`)];
  return validateTolerationChange(spec, before);
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

/** A spec without what may change. */
function comparable(spec: JsonObject): JsonObject {
  const copy = cloneJson(spec);
  for (const list of ['containers', 'initContainers']) {
    for (const container of asObjects(copy[list])) delete container['image'];
  }
  for (const key of ['activeDeadlineSeconds', 'tolerations']) delete copy[key];
  return copy;
}
