// SPDX-License-Identifier: Apache-2.0

/** Packages for those who write an operator, or use etcd or an object store (decision 0025). */
export const partsScope = '@operator-parts';

/** Those packages, and what belongs to this operator. */
export const ownScopes: readonly string[] = ['@etcd-operator', partsScope];

/** The name behind the scope, if this package, or what this specifier imports, is of this repository. */
export function ownPackage(specifier: string): string | undefined {
  const [scope = '', name] = specifier.split('/');
  return ownScopes.includes(scope) ? name : undefined;
}
