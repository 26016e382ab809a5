// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@etcd-operator/ports';

/** No vowels and nothing that looks like something else: no name spells a word. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxPrefix = 63 - suffixLength;

/** `generateName` with five random letters. */
export function generatedName(prefix: string, random: Pick<Random, 'bytes'>): string {
  let suffix = '';
  // Two bytes a letter: one draw for all of them, and no letter is noticeably likelier than another.
  const bytes = random.bytes(2 * suffixLength);
  for (let at = 0; at < bytes.length; at += 2) {
    suffix += letters[(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) % letters.length];
  }
  return `${prefix.slice(0, maxPrefix)}${suffix}`;
}
