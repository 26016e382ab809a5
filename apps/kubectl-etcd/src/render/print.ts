// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';
import type { OutputFormat } from '../command-line.ts';
import { plainText } from './plain-text.ts';

/** What a command has found: data for programs, and lines for people. */
export interface Report {
  readonly data: unknown;
  readonly lines: (wide: boolean) => readonly string[];
  /** Why what was asked for could not be had, in a sentence; the command then fails after it has shown what it found. */
  readonly failure?: string | undefined;
}

/** The text of a report in the format asked for. */
export function print({ data, lines }: Report, format: OutputFormat): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(data, undefined, 2)}\n`;
    case 'yaml':
      return stringify(data);
    case 'text':
    case 'wide':
      return lines(format === 'wide')
        .map((line) => `${plainText(line)}\n`)
        .join('');
  }
}
