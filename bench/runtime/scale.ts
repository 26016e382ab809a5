// SPDX-License-Identifier: Apache-2.0

/**
 * A count of objects or changes, times BENCH_SCALE (such as 0.1), for machines where the full number takes too long. Ratios change with
 * it: start-up and compilation weigh more with few objects. The bars are meant for the full number.
 */
export function scaled(count: number): number {
  const scale = Number(process.env['BENCH_SCALE'] ?? 1);
  if (!(scale > 0)) throw new Error('BENCH_SCALE must be a number above 0');
  return Math.max(1, Math.round(count * scale));
}
