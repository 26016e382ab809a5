// SPDX-License-Identifier: Apache-2.0

/**
 * The value of a metric without labels in Prometheus' text format; undefined if it is not there, or is no number. Names are
 * compared whole: `x` is not found in `x_total`.
 */
export function metricValue(text: string, name: string): number | undefined {
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name} `)) continue;
    const value = Number(
      line
        .slice(name.length + 1)
        .trim()
        .split(' ')[0] || Number.NaN,
    );
    return Number.isNaN(value) ? undefined : value;
  }
  return undefined;
}
