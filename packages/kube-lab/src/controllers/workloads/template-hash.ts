// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** Letters and digits that cannot spell words, as Kubernetes uses them in generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A short hash of a value, independent of the order of its fields. */
export function shortHash(value: unknown, salt = ''): string {
  const digest = createHash('sha256').update(canonical(value)).update(salt).digest();
  return [...digest.subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const parts = entries
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
  return `{${parts.join(',')}}`;
}
