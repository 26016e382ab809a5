// SPDX-License-Identifier: Apache-2.0
import { ParseError, parseDuration, parseQuantity, wholeValue } from '@operator-parts/kube';

/** What the schema accepts, which is less than Go accepts: no sign, no `0` without a unit, no `.5s`. */
const durationPattern = /^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/;
/** Go's longest duration, about 292 years, in milliseconds. */
const longestDuration = 2 ** 63 / 1e6;

/**
 * The milliseconds of a duration in a spec, such as `90s` or `1h30m`; undefined for other text, which may be stored from before the schema.
 * A duration that is longer than Go's longest counts as Go's longest.
 */
export function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || !durationPattern.test(text)) return undefined;
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof ParseError) return longestDuration;
    throw error;
  }
}

/** The bytes of a quantity in a spec, rounded up; undefined for other text. */
export function bytesOf(quantity: string | number | undefined): bigint | undefined {
  if (quantity === undefined) return undefined;
  try {
    return wholeValue(parseQuantity(quantity));
  } catch {
    return undefined;
  }
}
