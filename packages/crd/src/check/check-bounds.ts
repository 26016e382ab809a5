// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '../structural-schema.ts';

const pairs = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/**
 * The errors of bounds: empty ranges, lengths and counts that are not whole numbers of at least 0, and bounds that the
 * type of the number cannot hold.
 */
export function checkBounds(schema: StructuralSchema): readonly string[] {
  const problems: string[] = [];
  for (const [low, high] of pairs) {
    for (const name of [low, high]) {
      const value = schema[name];
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
        problems.push(`${name} must be a whole number of at least 0, but is ${value}`);
      }
    }
    problems.push(...checkOrder(schema, low, high));
  }
  return [...problems, ...checkOrder(schema, 'minimum', 'maximum'), ...checkNumber(schema)];
}

type Bound = 'minimum' | 'maximum' | (typeof pairs)[number][number];

function checkOrder(schema: StructuralSchema, low: Bound, high: Bound): readonly string[] {
  const [least, most] = [schema[low], schema[high]];
  if (least === undefined || most === undefined || least <= most) return [];
  return [`${low} ${least} is above ${high} ${most}: no value would be valid`];
}

function checkNumber({ type, format, minimum, maximum, multipleOf }: StructuralSchema): readonly string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries({ minimum, maximum })) {
    if (value === undefined) continue;
    if (type === 'integer' && !Number.isInteger(value))
      problems.push(`${name} must be a whole number, but is ${value}`);
    if (format === 'int32' && !isInt32(value)) problems.push(`${name} ${value} does not fit into 32 bits`);
  }
  if (multipleOf !== undefined && !(multipleOf > 0)) problems.push(`multipleOf must be positive, but is ${multipleOf}`);
  return problems;
}

/** True if the number is a whole number of 32 bits. */
export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
}
