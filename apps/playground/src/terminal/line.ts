// SPDX-License-Identifier: Apache-2.0

/** The style of a text. Without colour all are the same. */
export type Style = 'plain' | 'bold' | 'quiet' | 'good' | 'bad' | 'warn' | 'title' | 'selected';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line of the screen. */
export type Line = readonly Span[];

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

/** Truncates a line to a width, with a mark. */
export function fitted(line: Line, columns: number): Line {
  const width = line.reduce((sum, { text }) => sum + text.length, 0);
  if (width <= columns) return line;
  const cut: Span[] = [];
  let left = Math.max(0, columns - 1);
  for (const { text, style } of line) {
    if (left === 0) break;
    cut.push({ text: text.slice(0, left), style });
    left -= Math.min(left, text.length);
  }
  return columns > 0 ? [...cut, span('…', 'quiet')] : [];
}

export function plainText(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

const codes: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  quiet: '2',
  good: '32',
  bad: '31',
  warn: '33',
  title: '1;36',
  selected: '7',
};

/** The line with terminal sequences. */
export function ansiText(line: Line, withColour: boolean): string {
  if (!withColour) return plainText(line);
  return line
    .map(({ text, style }) => (codes[style] === '' ? text : `\u001b[${codes[style]}m${text}\u001b[0m`))
    .join('');
}
