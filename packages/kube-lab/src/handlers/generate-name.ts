// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';

/** No vowels and no ambiguous characters: no name is a word. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxPrefix = 63 - suffixLength;

/** `generateName` with five random letters. */
export function generatedName(prefix: string, random: Pick<Random, 'uuid'>): string {
  let suffix = '';
  // A UUID is the cheapest random source of the platform. Four digits per letter, without the fixed ones of its version
  // and variant.
  const digits = random.uuid().replaceAll('-', '');
  for (const at of [0, 4, 8, 20, 24]) {
    suffix += letters[Number.parseInt(digits.slice(at, at + 4), 16) % letters.length];
  }
  return `${prefix.slice(0, maxPrefix)}${suffix}`;
}
