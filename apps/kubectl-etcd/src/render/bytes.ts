// SPDX-License-Identifier: Apache-2.0

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `20 KiB`, `1.5 GiB`: at most three significant digits. */
export function formatBytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
