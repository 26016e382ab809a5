// SPDX-License-Identifier: Apache-2.0

/** One field whose value differs, with its path. Undefined for a missing field. */
export interface SpecChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The fields in which two values differ; lists are compared as a whole. */
export function specChanges(from: unknown, to: unknown, path = 'spec'): readonly SpecChange[] {
  if (isRecord(from) && isRecord(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
    return keys.flatMap((key) => specChanges(from[key], to[key], `${path}.${key}`));
  }
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
