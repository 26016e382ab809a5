// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, getIn, type JsonObject } from '../../json/json.ts';
import { cidrErrors } from '../../validation/cidrs.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { keepField, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

/** Kinds with a status subresource but without generations. */
const uncounted: Strategy = {
  prepareForCreate(object) {
    object['status'] = {};
  },
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
};

/** Resource quotas: stored, not enforced. */
export const quotaStrategy: Strategy = uncounted;

function validateCidrs(object: JsonObject): readonly FieldError[] {
  const cidrs = asArray(getIn(object, 'spec', 'cidrs')).map(String);
  if (cidrs.length === 0) return [required('spec.cidrs', 'at least one CIDR required')];
  return cidrs.flatMap((cidr, index) =>
    cidrErrors(cidr).map((detail) => invalid(`spec.cidrs[${index}]`, cidr, detail)),
  );
}

/** Service CIDRs: stored; the lab uses its own range. */
export const serviceCidrStrategy: Strategy = {
  ...uncounted,
  validate: validateCidrs,
  validateUpdate: validateCidrs,
};

/** The limit of a container is the default of its request. */
export function limitRangeDefaults(object: JsonObject): void {
  for (const limit of asObjects(getIn(object, 'spec', 'limits'))) {
    if (limit['type'] !== 'Container') continue;
    const defaults = { ...asObject(limit['max']), ...asObject(limit['default']) };
    const requests = { ...asObject(limit['min']), ...defaults, ...asObject(limit['defaultRequest']) };
    if (Object.keys(defaults).length > 0) limit['default'] = defaults;
    if (Object.keys(requests).length > 0) limit['defaultRequest'] = requests;
  }
}
