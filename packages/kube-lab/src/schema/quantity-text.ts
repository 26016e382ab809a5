// SPDX-License-Identifier: Apache-2.0
import { ParseError, parseQuantity, storedQuantity } from '@operator-parts/kube';

/** The real server's error for an invalid quantity. */
export const quantityFormatError =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity in units of 10^-9; undefined if the text is invalid. */
export function quantityNanos(text: string): bigint | undefined {
  return ifQuantity(() => parseQuantity(text).nano);
}

/** The canonical text of a quantity: `0.5` is `500m`, `1024Mi` is `1Gi`. Undefined if it is invalid. */
export function canonicalQuantity(text: string): string | undefined {
  return ifQuantity(() => storedQuantity(text));
}

/** A quantity as a number; exact enough for scheduling in a lab. An invalid quantity is 0. */
export function quantityNumber(text: string | number): number {
  const nanos = quantityNanos(String(text)) ?? 0n;
  const billion = 1_000_000_000n;
  return nanos % billion === 0n ? Number(nanos / billion) : Number(nanos) / 1e9;
}

function ifQuantity<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
