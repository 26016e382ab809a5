// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';

/** Without vowels and characters that look alike, so that no name is a word. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxPrefix = 63 - suffixLength;

/** `generateName` with five random letters. */
export function generatedName(prefix: string, random: Pick<Random, 'uuid'>): string {
  let suffix = '';
  // Each letter takes four hexadecimal digits of a UUID, the cheapest source of chance here. The fixed digits, which
  // contain the UUID's version and variant, are left out.
  const digits = random.uuid().replaceAll('-', '');
  for (const at of [0, 4, 8, 20, 24]) {
    suffix += letters[Number.parseInt(digits.slice(at, at + 4), 16) % letters.length];
  }
  return `${prefix.slice(0, maxPrefix)}${suffix}`;
}
