// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';

/** The present second in the API's format: `2026-01-01T00:00:00Z`. */
export function timestamp(clock: Pick<Clock, 'now'>): string {
  return timestampOf(clock.now());
}

/** A time in milliseconds in the API's format. */
export function timestampOf(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  // Consecutive times are mostly in the same second.
  if (second !== latest.second) latest = { second, text: `${new Date(milliseconds).toISOString().slice(0, 19)}Z` };
  return latest.text;
}

let latest = { second: Number.NaN, text: '' };
