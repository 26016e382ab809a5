// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, getIn, type JsonObject } from '../../json/json.ts';
import { cidrErrors } from '../../validation/cidrs.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { keepField, restoreStatus } from '../keep.ts';
import type { Strategy } from '../strategy.ts';

/** Kinds with a status of their own door that count no generations. */
const uncounted: Strategy = {
  prepareForCreate(object) {
    object['status'] = {};
  },
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
};

/** What a namespace may use: kept, not enforced. */
export const quotaStrategy: Strategy = uncounted;

function validateCidrs(object: JsonObject): readonly FieldError[] {
  const cidrs = asArray(getIn(object, 'spec', 'cidrs')).map(String);
  if (cidrs.length === 0) return [required('spec.cidrs', 'at least one CIDR required')];
  return cidrs.flatMap((cidr, index) =>
    cidrErrors(cidr).map((detail) => invalid(`spec.cidrs[${index}]`, cidr, detail)),
  );
}

/** Ranges of Services: kept, the lab gives addresses out of its own. */
export const serviceCidrStrategy: Strategy = {
  ...uncounted,
  validate: validateCidrs,
  validateUpdate: validateCidrs,
};

/** A container's limit is what it may have and, unless said otherwise, what it asks for. */
export function limitRangeDefaults(object: JsonObject): void {
  for (const limit of asObjects(getIn(object, 'spec', 'limits'))) {
    if (limit['type'] !== 'Container') continue;
    const defaults = { ...asObject(limit['max']), ...asObject(limit['default']) };
    const requests = { ...asObject(limit['min']), ...defaults, ...asObject(limit['defaultRequest']) };
    if (Object.keys(defaults).length > 0) limit['default'] = defaults;
    if (Object.keys(requests).length > 0) limit['defaultRequest'] = requests;
  }
}
