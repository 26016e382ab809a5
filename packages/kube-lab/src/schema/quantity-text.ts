// SPDX-License-Identifier: Apache-2.0
import { ParseError, parseQuantity, storedQuantity } from '@etcd-operator/kube';

/** What the real server says about a text that is no quantity. */
export const quantityFormatError =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** A quantity in units of 10^-9; undefined if the text is none. */
export function quantityNanos(text: string): bigint | undefined {
  return ifQuantity(() => parseQuantity(text).nano);
}

/** The text under which the API server keeps a quantity: `0.5` is `500m`, `1024Mi` is `1Gi`. Undefined if it is none. */
export function canonicalQuantity(text: string): string | undefined {
  return ifQuantity(() => storedQuantity(text));
}

/** A quantity as a number; good enough for placing and sizing in a lab. What is no quantity is 0. */
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
