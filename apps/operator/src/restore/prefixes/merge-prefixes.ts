// SPDX-License-Identifier: Apache-2.0

/** Prefixes in key order. A prefix that begins with another prefix is left out, so that each key counts once. */
export function mergePrefixes(wanted: readonly string[]): readonly Uint8Array[] {
  const sorted = wanted.map((prefix) => Buffer.from(prefix)).sort(Buffer.compare);
  const merged: Buffer[] = [];
  for (const prefix of sorted) {
    const last = merged.at(-1);
    if (!last?.equals(prefix.subarray(0, last.byteLength))) merged.push(prefix);
  }
  return merged;
}
