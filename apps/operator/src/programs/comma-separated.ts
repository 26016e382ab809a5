// SPDX-License-Identifier: Apache-2.0

/** The entries of a flag with several values, separated by commas. */
export function commaSeparated(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
