// SPDX-License-Identifier: Apache-2.0
import type { PartLimits } from './part-driver.ts';

export const mebibyte = 1024 * 1024;

/** Big enough for few requests, small enough for several at once in little memory. */
export const usualPartBytes = 8 * mebibyte;

/** After each of these many steps parts double, so that ten thousand of 8 MiB and more hold 8 TB instead of 84 GB. */
const growthSteps = 10;

/** How many bytes the part with this number (from 1) takes. The length of the body need not be known. */
export function partBytes(limits: PartLimits, number: number): number {
  const step = Math.floor((number - 1) / Math.max(1, Math.floor(limits.maxParts / growthSteps)));
  return Math.min(limits.maxPartBytes, limits.firstPartBytes * 2 ** step);
}

/**
 * How many buffers of this size there may be: one that is being filled and those that are under way, as long as they stay within the
 * budget; never less than one.
 */
export function buffersAllowed(limits: PartLimits, size: number, budgetBytes: number): number {
  return Math.min(limits.partsInFlight + 1, Math.max(1, Math.floor(budgetBytes / size)));
}
