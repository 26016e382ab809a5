// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';
import { type DecodeContext, DecodeError } from './decode-context.ts';
import { canonicalMicroTime, canonicalTime, type TimeProblem } from './go-time.ts';
import { canonicalQuantity, quantityFormatError } from './quantity-text.ts';

/** How values of one Go type are read from JSON and written back. */
export interface GoType {
  /** A value that is not null, as Go would write it. `owner` is the struct of the field. */
  decode(value: Json, context: DecodeContext, owner: string): Json;
  /** What Go writes for an unset field, if anything. */
  absent(): Json;
  /** True if `omitempty` omits this value. */
  isEmpty(decoded: Json): boolean;
}

export function stringType(goType: string): GoType {
  return {
    decode(value, context, owner) {
      if (typeof value !== 'string') throw context.mismatch(value, owner, goType);
      return value;
    },
    absent: () => '',
    isEmpty: (value) => value === '',
  };
}

const limits: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63, uint8: 256 };

export function integerType(goType: string): GoType {
  const limit = limits[goType] ?? 2 ** 63;
  return {
    decode(value, context, owner) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value >= limit || value < -limit) {
        throw context.mismatch(value, owner, goType);
      }
      return value;
    },
    absent: () => 0,
    isEmpty: (value) => value === 0,
  };
}

export const numberType: GoType = {
  decode(value, context, owner) {
    if (typeof value !== 'number') throw context.mismatch(value, owner, 'float64');
    return value;
  },
  absent: () => 0,
  isEmpty: (value) => value === 0,
};

export const booleanType: GoType = {
  decode(value, context, owner) {
    if (typeof value !== 'boolean') throw context.mismatch(value, owner, 'bool');
    return value;
  },
  absent: () => false,
  isEmpty: (value) => value === false,
};

export const bytesType: GoType = {
  decode(value, context, owner) {
    if (typeof value !== 'string') throw context.mismatch(value, owner, '[]uint8');
    const text = value.replace(/[\r\n]/g, '');
    const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={1,2}$/, ''));
    if (bad) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
    if (text.length % 4 !== 0)
      throw new DecodeError(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
    return text;
  },
  absent: () => null,
  isEmpty: (value) => value === '',
};

export const quantityType: GoType = {
  decode(value) {
    const text = typeof value === 'string' ? value.trim() : String(value);
    const canonical = canonicalQuantity(text);
    if (canonical === undefined) throw new DecodeError(quantityFormatError);
    return canonical;
  },
  absent: () => '0',
  isEmpty: () => false,
};

export const intOrStringType: GoType = {
  decode(value, context, owner) {
    if (typeof value === 'string') return value;
    if (typeof value !== 'number' || !Number.isInteger(value)) throw context.mismatch(value, owner, 'int32');
    return value;
  },
  absent: () => 0,
  isEmpty: () => false,
};

function timeType(canonical: (text: string) => string | TimeProblem): GoType {
  return {
    decode(value, context, owner) {
      if (typeof value !== 'string') throw context.mismatch(value, owner, 'string');
      const time = canonical(value);
      if (typeof time !== 'string') throw new DecodeError(time.problem);
      return time;
    },
    absent: () => null,
    isEmpty: () => false,
  };
}

/** `metav1.Time`. */
export const secondTimeType: GoType = timeType(canonicalTime);
/** `metav1.MicroTime`. */
export const microTimeType: GoType = timeType(canonicalMicroTime);

/** Any JSON, unchanged: RawExtension, FieldsV1, JSON schemas. */
export const anyType: GoType = {
  decode: (value) => value,
  absent: () => null,
  isEmpty: () => false,
};
