// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { ipErrors } from '../../validation/addresses.ts';
import { amountErrors, wildPercentErrors } from '../../validation/amounts.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { labelErrors, qualifiedNameErrors } from '../../validation/names.ts';
import { oneOf } from '../core/container-validation.ts';
import { metadataOf, withStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

function validateLease(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const errors: FieldError[] = [];
  const duration = asNumber(spec['leaseDurationSeconds']);
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  const transitions = asNumber(spec['leaseTransitions']);
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return errors;
}

export const leaseStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateLease,
  validateUpdate: validateLease,
};

export function endpointSliceDefaults(object: JsonObject): void {
  for (const port of asObjects(object['ports'])) {
    port['name'] ??= '';
    port['protocol'] ??= 'TCP';
  }
}

function validateEndpointSlice(object: JsonObject): readonly FieldError[] {
  const type = asString(object['addressType']) ?? '';
  const errors: FieldError[] = type === '' ? [required('addressType')] : [];
  errors.push(...oneOf(type, 'addressType', ['FQDN', 'IPv4', 'IPv6']));
  for (const [index, endpoint] of asObjects(object['endpoints']).entries()) {
    errors.push(...validateEndpoint(endpoint, `endpoints[${index}]`, type));
  }
  for (const [index, port] of asObjects(object['ports']).entries()) {
    errors.push(...oneOf(port['protocol'], `ports[${index}].protocol`, ['SCTP', 'TCP', 'UDP']));
  }
  return errors;
}

function validateEndpoint(endpoint: JsonObject, field: string, type: string): FieldError[] {
  const addresses = asArray(endpoint['addresses']).map(String);
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(`${field}.addresses`, 'must contain at least 1 address'));
  if (type !== 'FQDN' && type !== '') {
    for (const [at, address] of addresses.entries()) {
      errors.push(...ipErrors(address).map((detail) => invalid(`${field}.addresses[${at}]`, address, detail)));
    }
  }
  const name = asString(endpoint['hostname']) ?? '';
  if (name !== '') errors.push(...labelErrors(name).map((detail) => invalid(`${field}.hostname`, name, detail)));
  return errors;
}

export const endpointSliceStrategy: Strategy = {
  prepareForCreate(object) {
    metadataOf(object)['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    const content = ({ metadata: _metadata, ...rest }: JsonObject) => rest;
    if (equalJson(content(object), content(old))) return;
    metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
  validate: validateEndpointSlice,
  validateUpdate(object, old) {
    const fixed =
      object['addressType'] === old['addressType']
        ? []
        : [invalid('addressType', object['addressType'], 'field is immutable')];
    return [...validateEndpointSlice(object), ...fixed];
  },
};

function validateBudget(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const { minAvailable, maxUnavailable } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: minAvailable,
      Selector: spec['selector'] ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
    };
    errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const key of ['minAvailable', 'maxUnavailable']) {
    errors.push(...amountErrors(spec[key], `spec.${key}`), ...wildPercentErrors(spec[key], `spec.${key}`));
  }
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  return [
    ...errors,
    ...validateLabelSelector(asObject(spec['selector']) ?? {}, 'spec.selector'),
    ...oneOf(spec['unhealthyPodEvictionPolicy'], 'spec.unhealthyPodEvictionPolicy', policies),
  ];
}

export const budgetStrategy: Strategy = {
  ...withStatus({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  validate: validateBudget,
  validateUpdate: validateBudget,
};

export function storageClassDefaults(object: JsonObject): void {
  object['reclaimPolicy'] ??= 'Delete';
  object['volumeBindingMode'] ??= 'Immediate';
}

function validateProvisioner(name: string): FieldError[] {
  if (name === '') return [required('provisioner')];
  return qualifiedNameErrors(name.toLowerCase()).map((detail) => invalid('provisioner', name, detail));
}

function validateTopologies(object: JsonObject): FieldError[] {
  return asObjects(object['allowedTopologies']).flatMap((term, index) =>
    asObjects(term['matchLabelExpressions']).flatMap((expression, at) => {
      const field = `allowedTopologies[${index}].matchLabelExpressions[${at}].values`;
      return asArray(expression['values']).length > 0 ? [] : [required(field)];
    }),
  );
}

function validateStorageClass(object: JsonObject): readonly FieldError[] {
  return [
    ...validateProvisioner(asString(object['provisioner']) ?? ''),
    ...oneOf(object['reclaimPolicy'], 'reclaimPolicy', ['Delete', 'Retain']),
    ...oneOf(object['volumeBindingMode'], 'volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
    ...validateTopologies(object),
  ];
}

export const storageClassStrategy: Strategy = {
  returnsDeleted: true,
  validate: validateStorageClass,
  validateUpdate(object, old) {
    const changed = (key: string) => !equalJson(object[key], old[key]);
    const fixed = [
      ...['parameters', 'provisioner']
        .filter(changed)
        .map((key) => forbiddenField(key, `updates to ${key} are forbidden.`)),
      ...['reclaimPolicy', 'volumeBindingMode']
        .filter(changed)
        .map((key) => invalid(key, object[key], 'field is immutable')),
    ];
    return [...validateStorageClass(object), ...fixed];
  },
};
