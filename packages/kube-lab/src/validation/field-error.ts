// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';
import { ApiError, type StatusCause } from '../server/api-error.ts';

/** Kinds of field errors, with the names in the causes of a Status. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One error of one field. `message` begins like the real server's: `Invalid value: "x": must be ...`. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  readonly message: string;
}

export function required(field: string, detail = ''): FieldError {
  return make('FieldValueRequired', field, 'Required value', detail);
}

export function forbiddenField(field: string, detail = ''): FieldError {
  return make('FieldValueForbidden', field, 'Forbidden', detail);
}

export function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  return make('FieldValueInvalid', field, `Invalid value: ${show(value)}`, detail);
}

export function typeInvalid(field: string, value: Json | undefined, detail: string): FieldError {
  return make('FieldValueTypeInvalid', field, `Invalid value: ${show(value)}`, detail);
}

export function duplicate(field: string, value: Json | undefined): FieldError {
  return make('FieldValueDuplicate', field, `Duplicate value: ${show(value)}`, '');
}

export function fieldNotFound(field: string, value: Json | undefined): FieldError {
  return make('FieldValueNotFound', field, `Not found: ${show(value)}`, '');
}

export function notSupported(field: string, value: Json | undefined, supported: readonly string[]): FieldError {
  const listed = supported.map((one) => JSON.stringify(one)).join(', ');
  const detail = supported.length > 0 ? `supported values: ${listed}` : '';
  return make('FieldValueNotSupported', field, `Unsupported value: ${show(value)}`, detail);
}

export function tooLong(field: string, limit: number): FieldError {
  return make('FieldValueTooLong', field, 'Too long', `may not be more than ${limit} bytes`);
}

export function tooMany(field: string, actual: number, limit: number): FieldError {
  return make(
    'FieldValueTooMany',
    field,
    `Too many: ${actual}`,
    `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
  );
}

function make(reason: FieldErrorReason, field: string, head: string, detail: string): FieldError {
  return { reason, field, message: detail ? `${head}: ${detail}` : head };
}

/** How the real server prints a value: strings quoted, other scalars bare, the rest as JSON. */
function show(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'object' ? goJson(value) : String(value);
}

/** JSON in Go's format: HTML characters are escaped. */
function goJson(value: Json): string {
  return JSON.stringify(value).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

/** 422: the object is refused because of these fields. */
export function invalidObject(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes: StatusCause[] = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiError(
    422,
    'Invalid',
    `${kind.group ? `${kind.kind}.${kind.group}` : kind.kind} "${name}" is invalid: ${text}`,
    {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      ...(kind.kind ? { kind: kind.kind } : {}),
      causes,
    },
  );
}

/** An invalid value that is too large to show. */
export function invalidUnshown(field: string, detail: string): FieldError {
  return make('FieldValueInvalid', field, 'Invalid value', detail);
}
