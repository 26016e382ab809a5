// SPDX-License-Identifier: Apache-2.0
import type { BenchmarkResult } from './benchmark.ts';

/** One line per ratio, with its bar if there is one; the last line of a benchmark is its result. */
export function resultTable(results: Readonly<Record<string, BenchmarkResult>>): string {
  const rows = Object.entries(results).flatMap(([id, { ratios, bars, ok }]) => [
    ...Object.entries(ratios).map(([name, ratio]) => [id, name, ratio.toFixed(3), bars[name]?.toFixed(2) ?? '']),
    [id, ok ? 'all bars met' : 'a bar is missed', '', ''],
  ]);
  const lines = [['', 'OURS / THEIRS', 'RATIO', 'BAR'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) => `${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('   ')}`.trimEnd())
    .join('\n')
    .concat('\n');
}
