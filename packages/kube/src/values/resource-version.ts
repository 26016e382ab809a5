// SPDX-License-Identifier: Apache-2.0
import { ParseError } from './parse-error.ts';

const wellFormed = /^[1-9]\d*$/;

/** True for a version that can be ordered: not for `''`, `'0'` and versions of other kinds of servers. */
export function isOrderedResourceVersion(version: string | undefined): version is string {
  return version !== undefined && wellFormed.test(version);
}

/**
 * The order of two versions of one resource, for sorting. Versions are decimals of any length, never numbers, which are
 * inexact beyond 2^53.
 */
export function compareResourceVersions(left: string, right: string): number {
  for (const version of [left, right]) {
    if (!isOrderedResourceVersion(version)) {
      throw new ParseError(
        'ResourceVersion',
        `resource version ${JSON.stringify(version)} is not a number and cannot be compared`,
      );
    }
  }
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
