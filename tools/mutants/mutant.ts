// SPDX-License-Identifier: Apache-2.0

/** An operator that is broken on purpose by one small change of its source. */
export interface Mutant {
  /** Short and unique. */
  readonly name: string;
  /** The consequence for users. */
  readonly breaks: string;
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** Why a mutant no longer matches its file; undefined if it does. */
export function whyStale({ file, text, replacement }: Mutant, source: string | undefined): string | undefined {
  if (source === undefined) return `${file} does not exist`;
  if (text === replacement) return 'its replacement is the text itself';
  const times = source.split(text).length - 1;
  return times === 1 ? undefined : `its text stands ${times} times in ${file}, not once`;
}

export function mutated({ text, replacement }: Mutant, source: string): string {
  return source.replace(text, () => replacement);
}
