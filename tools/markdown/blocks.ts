// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import markdownIt from 'markdown-it';

/** A fenced block of a Markdown page. */
export interface Block {
  readonly language: string;
  /** Without its last line end. */
  readonly content: string;
  /** The line of its first content, counted from 1. */
  readonly line: number;
  /** The heading of the second level above it. */
  readonly section: string;
}

/** All fenced blocks of a page, in its order. */
export function blocksOf(path: string): readonly Block[] {
  return blocksIn(readFileSync(path, 'utf8'));
}

/** The same, of its text. */
export function blocksIn(text: string): readonly Block[] {
  let section = '';
  const tokens = markdownIt().parse(text, {});
  return tokens.flatMap(({ type, tag, info, content, map }, index): readonly Block[] => {
    if (type === 'heading_open' && tag === 'h2') section = tokens[index + 1]?.content ?? '';
    if (type !== 'fence') return [];
    return [{ language: info.trim(), content: content.replace(/\n$/, ''), line: (map?.[0] ?? 0) + 2, section }];
  });
}

/** A command and what it prints. */
export interface Exchange {
  readonly command: string;
  readonly output: string;
}

/** The exchanges of a `console` block, in which `$ ` begins a command. */
export function exchangesOf({ content }: Pick<Block, 'content'>): readonly Exchange[] {
  const parts = `\n${content}`.split('\n$ ').slice(1);
  return parts.map((part) => {
    const [command = '', ...output] = part.split('\n');
    return { command, output: output.join('\n') };
  });
}
