// SPDX-License-Identifier: Apache-2.0
import type { Environment } from '@marcbachmann/cel-js';
import { quantityFormatError, quantityNanos } from '../schema/quantity-text.ts';

class CelQuantity {
  /** In units of 10^-9. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

function parse(text: string): CelQuantity {
  const nanos = quantityNanos(text);
  if (nanos === undefined) throw new Error(quantityFormatError);
  return new CelQuantity(nanos);
}

const billion = 1_000_000_000n;

/** The CEL functions of Kubernetes for quantities. */
export function registerQuantity(environment: Environment): void {
  const compare = (a: CelQuantity, b: CelQuantity) => (a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n);
  environment
    .registerType('kubernetes.Quantity', CelQuantity)
    .registerFunction('quantity(string): kubernetes.Quantity', parse)
    .registerFunction('isQuantity(string): bool', (text: string) => quantityNanos(text) !== undefined)
    .registerFunction('kubernetes.Quantity.sign(): int', ({ nanos }: CelQuantity) =>
      nanos > 0n ? 1n : nanos < 0n ? -1n : 0n,
    )
    .registerFunction('kubernetes.Quantity.isInteger(): bool', ({ nanos }: CelQuantity) => nanos % billion === 0n)
    .registerFunction('kubernetes.Quantity.asInteger(): int', ({ nanos }: CelQuantity) => nanos / billion)
    .registerFunction(
      'kubernetes.Quantity.asApproximateFloat(): double',
      ({ nanos }: CelQuantity) => Number(nanos) / 1e9,
    )
    .registerFunction('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', compare)
    .registerFunction(
      'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => a.nanos > b.nanos,
    )
    .registerFunction(
      'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
      (a: CelQuantity, b: CelQuantity) => a.nanos < b.nanos,
    )
    .registerFunction(
      'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity',
      (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos + b.nanos),
    )
    .registerFunction(
      'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity',
      (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.nanos - b.nanos),
    );
}
