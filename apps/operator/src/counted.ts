// SPDX-License-Identifier: Apache-2.0

/** `1 voter`, `0 voters`, `3 voters`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * The verb behind a count: `1 is needed`, `2 are needed`.
 *
 * @param of the whole that the count is a part of: `1 of 3 voters is`, `0 of 3 voters are`, `0 of 1 voter is`
 */
export function isOrAre(count: number, of = count): 'is' | 'are' {
  return count === 1 || of === 1 ? 'is' : 'are';
}
