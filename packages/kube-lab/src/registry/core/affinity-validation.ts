// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { qualifiedNameErrors } from '../../validation/names.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../../validation/node-selector.ts';
import { oneOf } from './container-validation.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The validation errors of a pod's affinity. */
export function validateAffinity(affinity: JsonObject, field: string): FieldError[] {
  return [
    ...validateNodeAffinity(asObject(affinity['nodeAffinity']) ?? {}, `${field}.nodeAffinity`),
    ...['podAffinity', 'podAntiAffinity'].flatMap((kind) =>
      validatePodAffinity(asObject(affinity[kind]) ?? {}, `${field}.${kind}`),
    ),
  ];
}

function validateNodeAffinity(affinity: JsonObject, field: string): FieldError[] {
  const needed = asObject(affinity[requiredTerms]);
  return [
    ...(needed ? validateNodeSelector(needed, `${field}.${requiredTerms}`) : []),
    ...asObjects(affinity[preferredTerms]).flatMap((term, index) => {
      const place = `${field}.${preferredTerms}[${index}]`;
      return [
        ...validateWeight(term, place),
        ...validateNodeSelectorTerm(asObject(term['preference']) ?? {}, `${place}.preference`),
      ];
    }),
  ];
}

function validatePodAffinity(affinity: JsonObject, field: string): FieldError[] {
  return [
    ...asObjects(affinity[requiredTerms]).flatMap((term, index) =>
      validateTerm(term, `${field}.${requiredTerms}[${index}]`),
    ),
    ...asObjects(affinity[preferredTerms]).flatMap((term, index) => {
      const place = `${field}.${preferredTerms}[${index}]`;
      return [
        ...validateWeight(term, place),
        ...validateTerm(asObject(term['podAffinityTerm']) ?? {}, `${place}.podAffinityTerm`),
      ];
    }),
  ];
}

function validateWeight(term: JsonObject, field: string): FieldError[] {
  const weight = asNumber(term['weight']) ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function validateTerm(term: JsonObject, field: string): FieldError[] {
  const key = asString(term['topologyKey']) ?? '';
  return [
    ...['labelSelector', 'namespaceSelector'].flatMap((name) =>
      validateLabelSelector(asObject(term[name]) ?? {}, `${field}.${name}`),
    ),
    ...(key === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameErrors(key).map((detail) => invalid(`${field}.topologyKey`, key, detail)),
  ];
}

/** The validation errors of topology spread constraints. */
export function validateSpread(constraints: readonly JsonObject[], field: string): FieldError[] {
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
