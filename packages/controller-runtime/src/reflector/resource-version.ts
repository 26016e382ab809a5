// SPDX-License-Identifier: Apache-2.0

/**
 * Orders two resourceVersions of the same kind: negative if `one` is older, zero if they are equal, positive if it is newer,
 * and `undefined` if they are not both decimal numbers and can be compared for equality only.
 *
 * Versions are decimals of any length, so they are compared as text; as numbers they would be wrong beyond 2^53.
 */
export function versionOrder(one: string, other: string): number | undefined {
  if (one === other) return 0;
  if (!isDecimal(one) || !isDecimal(other)) return undefined;
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}

/** True unless `version` is known to be older than `other`. */
export function isNotOlder(version: string, other: string): boolean {
  const order = versionOrder(version, other);
  return order === undefined || order >= 0;
}

function isDecimal(version: string): boolean {
  if (version.length === 0 || (version.charCodeAt(0) === 48 && version.length > 1)) return false;
  for (let index = 0; index < version.length; index++) {
    const digit = version.charCodeAt(index);
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}
