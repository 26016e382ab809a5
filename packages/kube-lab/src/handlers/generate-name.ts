// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@etcd-operator/ports';

/** No vowels and nothing that looks like something else: no name spells a word. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxPrefix = 63 - suffixLength;

/** `generateName` with five random letters. */
export function generatedName(prefix: string, random: Pick<Random, 'next'>): string {
  let suffix = '';
  while (suffix.length < suffixLength) suffix += letters[Math.floor(random.next() * letters.length)];
  return `${prefix.slice(0, maxPrefix)}${suffix}`;
}
