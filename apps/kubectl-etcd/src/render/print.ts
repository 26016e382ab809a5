// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'yaml';
import type { OutputFormat } from '../command-line.ts';

/** What a command has found: data for programs, and lines for people. */
export interface Report {
  readonly data: unknown;
  readonly lines: (wide: boolean) => readonly string[];
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
        .map((line) => `${line}\n`)
        .join('');
  }
}
