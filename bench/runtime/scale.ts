// SPDX-License-Identifier: Apache-2.0

/**
 * A count of objects or changes, multiplied by BENCH_SCALE (such as 0.1), for slow machines. Ratios change with it:
 * start-up and compilation matter more with few objects. The bars are for the full number.
 */
export function scaled(count: number): number {
  const scale = Number(process.env['BENCH_SCALE'] ?? 1);
  if (!(scale > 0)) throw new Error('BENCH_SCALE must be a number above 0');
  return Math.max(1, Math.round(count * scale));
}
