// SPDX-License-Identifier: Apache-2.0
import type { Environment } from '@marcbachmann/cel-js';

type Comparable = bigint | number | string | boolean | Date;

/** Functions of lists and sets that Kubernetes adds to CEL. */
export function registerLists(environment: Environment): void {
  environment
    .registerFunction('list<dyn>.sum(): dyn', (items: readonly (bigint | number)[]) => sum(items))
    .registerFunction('list<dyn>.min(): dyn', (items: readonly Comparable[]) => extreme(items, 'min', (a, b) => a < b))
    .registerFunction('list<dyn>.max(): dyn', (items: readonly Comparable[]) => extreme(items, 'max', (a, b) => a > b))
    .registerFunction('list<dyn>.isSorted(): bool', (items: readonly Comparable[]) =>
      items.every((item, index) => index === 0 || (items[index - 1] as Comparable) <= item),
    )
    .registerFunction('list<dyn>.indexOf(dyn): int', (items: readonly unknown[], wanted: unknown) =>
      BigInt(items.findIndex((item) => same(item, wanted))),
    )
    .registerFunction('list<dyn>.lastIndexOf(dyn): int', (items: readonly unknown[], wanted: unknown) =>
      BigInt(items.findLastIndex((item) => same(item, wanted))),
    )
    .registerFunction('list<dyn>.distinct(): list<dyn>', (items: readonly unknown[]) => distinct(items))
    .registerFunction('list<dyn>.reverse(): list<dyn>', (items: readonly unknown[]) => items.toReversed())
    .registerFunction('list<dyn>.slice(int, int): list<dyn>', (items: readonly unknown[], from: bigint, to: bigint) =>
      items.slice(Number(from), Number(to)),
    )
    .registerFunction('list<dyn>.flatten(): list<dyn>', (items: readonly unknown[]) => items.flat());
  registerSets(environment);
}

class SetsNamespace {}

function registerSets(environment: Environment): void {
  const has = (items: readonly unknown[], wanted: unknown) => items.some((item) => same(item, wanted));
  environment
    .registerType('SetsNamespace', SetsNamespace)
    .registerConstant('sets', 'SetsNamespace', new SetsNamespace())
    .registerFunction(
      'SetsNamespace.contains(list<dyn>, list<dyn>): bool',
      (_sets: SetsNamespace, all: readonly unknown[], some: readonly unknown[]) => some.every((one) => has(all, one)),
    )
    .registerFunction(
      'SetsNamespace.intersects(list<dyn>, list<dyn>): bool',
      (_sets: SetsNamespace, a: readonly unknown[], b: readonly unknown[]) => a.some((one) => has(b, one)),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list<dyn>, list<dyn>): bool',
      (_sets: SetsNamespace, a: readonly unknown[], b: readonly unknown[]) =>
        a.every((one) => has(b, one)) && b.every((one) => has(a, one)),
    );
}

function sum(items: readonly (bigint | number)[]): bigint | number {
  if (items.some((item) => typeof item === 'number'))
    return items.reduce<number>((total, item) => total + Number(item), 0);
  return items.reduce<bigint>((total, item) => total + BigInt(item), 0n);
}

function extreme(
  items: readonly Comparable[],
  name: string,
  wins: (a: Comparable, b: Comparable) => boolean,
): Comparable {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (wins(item, best) ? item : best), first);
}

function distinct(items: readonly unknown[]): readonly unknown[] {
  return items.filter((item, index) => items.findIndex((one) => same(one, item)) === index);
}

function same(a: unknown, b: unknown): boolean {
  return a === b || fingerprint(a) === fingerprint(b);
}

function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item)) ?? '';
}
