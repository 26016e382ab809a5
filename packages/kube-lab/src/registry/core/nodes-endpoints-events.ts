// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, equalJson, getIn, type JsonObject } from '../../json/json.ts';
import { ipErrors } from '../../validation/addresses.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { qualifiedNameErrors } from '../../validation/names.ts';
import { portErrors } from '../../validation/ports.ts';
import { keepField, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';
import { oneOf } from './container-validation.ts';

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** `podCIDR` is the first item of the newer `podCIDRs`. Setting one field sets the other, too. */
export function nodeDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  const [first] = asArray(spec['podCIDRs']);
  if (spec['podCIDR'] !== undefined) spec['podCIDRs'] ??= [spec['podCIDR']];
  else if (first !== undefined) spec['podCIDR'] = first;
}

/** Nodes: written by kubelets; the status is a subresource. */
export const nodeStrategy: Strategy = {
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
  validate: validateNode,
  validateUpdate: validateNode,
};

function validateNode(object: JsonObject): readonly FieldError[] {
  return asObjects(getIn(object, 'spec', 'taints')).flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const key = asString(taint['key']) ?? '';
    return [
      ...qualifiedNameErrors(key).map((detail) => invalid(`${field}.key`, key, detail)),
      ...oneOf(taint['effect'] ?? '', `${field}.effect`, taintEffects),
    ];
  });
}

/** Endpoints: addresses of a Service, written by its controller. */
export function endpointsDefaults(object: JsonObject): void {
  for (const subset of asObjects(object['subsets'])) {
    for (const port of asObjects(subset['ports'])) port['protocol'] ??= 'TCP';
  }
}

const deprecation = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

export const endpointsStrategy: Strategy = {
  allowCreateOnUpdate: true,
  deprecation,
  validate: validateEndpoints,
  validateUpdate: validateEndpoints,
};

function validateEndpoints(object: JsonObject): readonly FieldError[] {
  return asObjects(object['subsets']).flatMap((subset, index) => [
    ...['addresses', 'notReadyAddresses'].flatMap((list) =>
      asObjects(subset[list]).flatMap((address, at) => {
        const ip = asString(address['ip']) ?? '';
        const field = `subsets[${index}].${list}[${at}].ip`;
        return ipErrors(ip).flatMap((detail) => [
          invalid(field, ip, detail),
          invalid(field, ip, 'must be a valid IP address'),
        ]);
      }),
    ),
    ...asObjects(subset['ports']).flatMap((port, at) =>
      portErrors(Number(port['port'] ?? 0)).map((detail) =>
        invalid(`subsets[${index}].ports[${at}].port`, port['port'] ?? 0, detail),
      ),
    ),
  ]);
}

/** Events: a real cluster deletes them after a while; here they stay as long as the lab. */
export const eventStrategy: Strategy = {
  allowCreateOnUpdate: true,
  defaultPropagation: 'unsupported',
  validate(object) {
    const namespace = getIn(object, 'metadata', 'namespace') ?? '';
    const involved = asObject(object['involvedObject']) ?? {};
    const given = asString(involved['namespace']) ?? '';
    const expected = given === '' ? 'default' : given;
    return namespace === expected ? [] : [invalid('involvedObject.namespace', given, 'does not match event.namespace')];
  },
};

/** Service accounts are plain data; deleting one returns it. */
export const serviceAccountStrategy: Strategy = { returnsDeleted: true };

const frozenEventFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/**
 * Events that are written through `events.k8s.io`: complete from the start, later only counted as a series. They are
 * stored like Events of `v1`.
 */
export const newEventStrategy: Strategy = {
  allowCreateOnUpdate: true,
  defaultPropagation: 'unsupported',
  errorGroup: '',
  validate: validateNewEvent,
  validateUpdate(object, old) {
    return frozenEventFields
      .filter((key) => !equalJson(object[key], old[key]))
      .map((key) => invalid(key, object[key], 'field is immutable'));
  },
};

function validateNewEvent(object: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!object['eventTime']) errors.push(required('eventTime'));
  else {
    const reporter = asString(object['reportingComponent']) ?? '';
    if (reporter === '') errors.push(required('reportingController'));
    errors.push(...qualifiedNameErrors(reporter).map((detail) => invalid('reportingController', reporter, detail)));
    if (!object['reportingInstance']) errors.push(required('reportingInstance'));
    if (!object['action']) errors.push(required('action'));
    if (!object['reason']) errors.push(required('reason'));
  }
  const type = asString(object['type']) ?? '';
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  return errors;
}
