// SPDX-License-Identifier: Apache-2.0
import type { BenchmarkResult } from './benchmark.ts';

/** The direction of a ratio's bar: times, bytes and CPU must be small, throughput must be large. */
export type Bar = { readonly atMost: number } | { readonly atLeast: number };

/** Ratios without a bar are only reported; a bar without its ratio is missed. */
export function verdict(
  ratios: Readonly<Record<string, number>>,
  bars: Readonly<Record<string, Bar>>,
): BenchmarkResult {
  const entries = Object.entries(bars);
  return {
    ratios: Object.fromEntries(Object.entries(ratios).map(([name, ratio]) => [name, Math.round(ratio * 1000) / 1000])),
    bars: Object.fromEntries(entries.map(([name, bar]) => [name, 'atMost' in bar ? bar.atMost : bar.atLeast])),
    ok: entries.every(([name, bar]) => meets(ratios[name], bar)),
  };
}

function meets(ratio: number | undefined, bar: Bar): boolean {
  if (ratio === undefined || !Number.isFinite(ratio)) return false;
  return 'atMost' in bar ? ratio <= bar.atMost : ratio >= bar.atLeast;
}

/** The median; for an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
