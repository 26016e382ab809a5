// SPDX-License-Identifier: Apache-2.0
import { parseTime } from '@operator-parts/kube';

/** A time of the status, in milliseconds since the epoch; undefined if it is not valid. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  try {
    return parseTime(text);
  } catch {
    return undefined;
  }
}
