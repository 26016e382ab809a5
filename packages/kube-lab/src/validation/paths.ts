// SPDX-License-Identifier: Apache-2.0
import { type FieldError, invalid } from './field-error.ts';

/** Validates a path inside a volume: an absolute path, or one with `..`, could lead out of the volume and is an error. */
export function descendingPathErrors(path: string, field: string): FieldError[] {
  const errors = path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : [];
  if (path.split('/').includes('..')) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
}

/** Like `descendingPathErrors`, for names that must not look like reserved ones. */
export function unreservedPathErrors(path: string, field: string): FieldError[] {
  const errors = descendingPathErrors(path, field);
  // The name `..` is reported already.
  if (path.startsWith('..') && !path.startsWith('../') && path !== '..') {
    errors.push(invalid(field, path, "must not start with '..'"));
  }
  return errors;
}
