// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the example. */
export const home = join(import.meta.dirname, '..');

/** A fenced block of the README: `sh` is typed, `console` is typed and answered, `log` is the controller's output. */
export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

/** The blocks of one section, in order. */
export function blocksOf(section: string): readonly Block[] {
  const text = readFileSync(join(home, 'README.md'), 'utf8');
  const [, rest = ''] = text.split(`\n## ${section}\n`);
  const [body = ''] = rest.split('\n## ');
  return [...body.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language = '', content = '']) => ({
    language,
    lines: content.split('\n'),
  }));
}

/** A command and what it prints. */
export interface Exchange {
  readonly command: string;
  readonly output: string;
}

/** The exchanges of a `console` block. */
export function exchangesOf({ lines }: Block): readonly Exchange[] {
  const parts = `\n${lines.join('\n')}`.split('\n$ ').slice(1);
  return parts.map((part) => {
    const [command = '', ...output] = part.split('\n');
    return { command, output: output.join('\n') };
  });
}

/** A log line without its level and time, and without the version of its object, which differ in every run. */
export function messageOf(line: string): string {
  return line.replace(/^[A-Z] [\d:.]+ /, '').replace(/ResourceVersion:"\d+"/, 'ResourceVersion:"N"');
}
