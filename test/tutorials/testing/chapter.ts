// SPDX-License-Identifier: Apache-2.0
import { blocksOf } from '@etcd-operator/tools/markdown';

/** The actions of a chapter, in order. */
export type Step = { readonly line: number } & (
  | { readonly kind: 'save'; readonly file: string; readonly text: string }
  | { readonly kind: 'type'; readonly command: string; readonly answer: readonly string[] }
  | { readonly kind: 'start'; readonly command: string }
  | { readonly kind: 'hear'; readonly lines: readonly string[] }
);

/**
 * The steps of a Markdown page:
 *
 * - `yaml` that begins with a comment such as `# job.yaml` is a file to save;
 * - `console` is typed: a line with `$ ` begins a command, `> ` continues it, the rest is its output;
 * - `sh` is a long-running command in a separate terminal;
 * - `log` is the output of the last of those.
 */
export function stepsOf(path: string): readonly Step[] {
  return blocksOf(path).flatMap(({ language, content, line }): readonly Step[] => {
    const lines = content.split('\n');
    switch (language) {
      case 'yaml': {
        const file = /^# (\S+\.yaml)$/.exec(lines[0] ?? '')?.[1];
        return file === undefined ? [] : [{ kind: 'save', line, file, text: `${content}\n` }];
      }
      case 'console':
        return exchangesOf(lines, line);
      case 'sh':
        return [{ kind: 'start', line, command: content }];
      case 'log':
        return [{ kind: 'hear', line, lines }];
      default:
        return [];
    }
  });
}

function exchangesOf(lines: readonly string[], first: number): readonly Step[] {
  const steps: { kind: 'type'; line: number; command: string; answer: string[] }[] = [];
  for (const [index, text] of lines.entries()) {
    const last = steps.at(-1);
    if (text.startsWith('$ ')) steps.push({ kind: 'type', line: first + index, command: text.slice(2), answer: [] });
    else if (last && last.answer.length === 0 && text.startsWith('> ')) last.command += `\n${text.slice(2)}`;
    else if (last && text.trim() !== '') last.answer.push(text);
  }
  return steps;
}
