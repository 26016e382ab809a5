// SPDX-License-Identifier: Apache-2.0
import type { PartLimits } from './part-driver.ts';

export const mebibyte = 1024 * 1024;

/** Large enough for few requests, small enough for several at once in little memory. */
export const usualPartBytes = 8 * mebibyte;

/**
 * The size of parts doubles this often: after each tenth of the allowed parts. So ten thousand parts, of which the
 * first have 8 MiB, hold 8 TB instead of 84 GB.
 */
const growthSteps = 10;

/** The size of the part with this number (from 1). The length of the body need not be known. */
export function partBytes(limits: PartLimits, number: number): number {
  const step = Math.floor((number - 1) / Math.max(1, Math.floor(limits.maxParts / growthSteps)));
  return Math.min(limits.maxPartBytes, limits.firstPartBytes * 2 ** step);
}

/**
 * How many buffers of this size an upload may have: one that is being filled, and one for each part in progress, within
 * the budget; at least one.
 */
export function buffersAllowed(limits: PartLimits, size: number, budgetBytes: number): number {
  return Math.min(limits.partsInFlight + 1, Math.max(1, Math.floor(budgetBytes / size)));
}
