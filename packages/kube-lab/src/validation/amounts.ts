// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';
import { type FieldError, invalid } from './field-error.ts';

const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** The validation errors of a number that may also be a percentage. */
export function amountErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value === 'string' && !/^\d+%$/.test(value)) return [invalid(field, value, percentText)];
  if (typeof value === 'number' && value < 0) return [invalid(field, value, 'must be greater than or equal to 0')];
  return [];
}

/** The validation error of a percentage above 100. */
export function wildPercentErrors(value: Json | undefined, field: string): FieldError[] {
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined || Number(percent) <= 100) return [];
  return [invalid(field, value, 'must not be greater than 100%')];
}

/** True for a number or percentage of 0. */
export function isZeroAmount(value: Json | undefined): boolean {
  return value === undefined || Number.parseInt(String(value), 10) === 0;
}
