// SPDX-License-Identifier: Apache-2.0
import { isObject } from '../json/json.ts';
import { badRequest } from '../server/api-error.ts';
import type { Codec } from './codec.ts';
import { type ResourceNames, withTypeMeta } from './served-resource.ts';

/** A codec that takes any object as it is. */
export function plainCodec(names: ResourceNames): Codec {
  return {
    decode(value) {
      if (!isObject(value)) throw badRequest('the object provided is not a JSON object');
      return { object: withTypeMeta(names, value), strictErrors: [] };
    },
    encode: (stored) => stored.text,
    toVersion: (object) => object,
  };
}
