// SPDX-License-Identifier: Apache-2.0
import { asNumber, asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { labelErrors } from '../../validation/names.ts';
import { oneOf } from '../core/container-validation.ts';
import { metadataOf } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

/** The two classes that every cluster has. */
export const systemPriorities: Readonly<Record<string, { readonly value: number; readonly description: string }>> = {
  'system-cluster-critical': {
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  'system-node-critical': {
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
};

const highestUserPriority = 1_000_000_000;

export function priorityClassDefaults(object: JsonObject): void {
  object['preemptionPolicy'] ??= 'PreemptLowerPriority';
}

function validatePriorityClass(object: JsonObject): readonly FieldError[] {
  const name = asString(metadataOf(object)['name']) ?? '';
  const value = asNumber(object['value']) ?? 0;
  const policy = oneOf(object['preemptionPolicy'], 'preemptionPolicy', ['PreemptLowerPriority', 'Never']);
  if (name.startsWith('system-')) {
    if (systemPriorities[name]?.value === value) return policy;
    const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${systemError(name)}`;
    return [forbiddenField('metadata.name', why), ...policy];
  }
  if (value <= highestUserPriority) return policy;
  const limit = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
  return [forbiddenField('value', limit), ...policy];
}

function systemError(name: string): string {
  const known = systemPriorities[name];
  return known
    ? `value of ${name} PriorityClass must be ${known.value}`
    : `${name} is not a known system priority class`;
}

/** Priority classes. The value is set on pods; there is no preemption. */
export const priorityClassStrategy: Strategy = {
  prepareForCreate(object) {
    metadataOf(object)['generation'] = 1;
  },
  validate: validatePriorityClass,
  validateUpdate(object, old) {
    const fixed = ['value', 'preemptionPolicy']
      .filter((key) => object[key] !== old[key])
      .map((key) =>
        key === 'value'
          ? forbiddenField('value', 'may not be changed in an update.')
          : invalid('preemptionPolicy', object[key], 'field is immutable'),
      );
    return fixed;
  },
};

function validateRuntimeClass(object: JsonObject): readonly FieldError[] {
  const handler = asString(object['handler']) ?? '';
  if (handler === '') return [required('handler')];
  return labelErrors(handler).map((detail) => invalid('handler', handler, detail));
}

/** Runtime classes: stored, but they have no effect in the lab. */
export const runtimeClassStrategy: Strategy = {
  validate: validateRuntimeClass,
  validateUpdate(object, old) {
    const fixed =
      object['handler'] === old['handler'] ? [] : [invalid('handler', object['handler'], 'field is immutable')];
    return [...validateRuntimeClass(object), ...fixed];
  },
};
