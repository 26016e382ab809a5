// SPDX-License-Identifier: Apache-2.0
import type { Check } from '../check.ts';
import { isTest, sourceFiles } from '../tree.ts';

const smell = 300;
const limit = 500;
const reason = 'Reason for length:';

/**
 * One idea per file. Long files are listed; those over the limit must explain in their header why they are one idea.
 */
export const fileSize: Check = {
  name: 'file sizes',
  async run(tree) {
    const sizes = sourceFiles(tree).map((file) => ({ file, lines: countLines(tree.read(file)) }));
    const source = sizes.filter(({ file }) => !isTest(file)).map(({ lines }) => lines);
    const long = sizes.filter(({ lines }) => lines > smell).sort((a, b) => b.lines - a.lines);
    const problems = long
      .filter(({ file, lines }) => lines > limit && !header(tree.read(file)).includes(reason))
      .map(({ file, lines }) => ({
        rule: 'file-size',
        file,
        message: `${lines} lines, over ${limit}: split it by idea, or write "${reason} ..." into its first comment`,
      }));
    const notes = [
      `${source.length} source files: median ${quantile(source, 0.5)} lines, p90 ${quantile(source, 0.9)}`,
      ...long.map(({ file, lines }) => `over ${smell} lines: ${file} (${lines})`),
    ];
    return { problems, notes };
  },
};

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function header(text: string): string {
  return text.split('\n').slice(0, 15).join('\n');
}

/** The given percentile of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
