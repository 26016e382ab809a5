// SPDX-License-Identifier: Apache-2.0

const escapeKey = '\u001b';

const sequences: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001bOA': 'up',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\t': 'tab',
  '\u0003': 'ctrl-c',
  '\u0004': 'q',
  '=': '+',
  _: '-',
};

/** Parses the input of a terminal to keys: letters unchanged, arrows and Ctrl-C by name; unknown input is ignored. */
export function decodeKeys(input: string): readonly string[] {
  const keys: string[] = [];
  let rest = input;
  while (rest !== '') {
    const sequence = firstSequence(rest);
    rest = rest.slice(sequence.length);
    const key = sequences[sequence] ?? sequence;
    if (!key.startsWith(escapeKey) && key >= ' ') keys.push(key);
  }
  return keys;
}

/** A control sequence counts as one key. */
function firstSequence(text: string): string {
  const first = text[0] ?? '';
  if (first !== escapeKey) return first;
  return first + (/^(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/.exec(text.slice(1))?.[0] ?? '');
}
