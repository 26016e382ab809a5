// SPDX-License-Identifier: Apache-2.0

/** The entries of a flag that takes several, with commas between. */
export function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
