// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';
import type { OutputFormat } from '../command-line.ts';
import { plainText } from './plain-text.ts';

/** The result of a command: data for programs, and lines for users. */
export interface Report {
  readonly data: unknown;
  readonly lines: (wide: boolean) => readonly string[];
  /** Why the request failed, in a sentence; the command prints its result and then fails. */
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
