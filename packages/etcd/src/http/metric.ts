// SPDX-License-Identifier: Apache-2.0

/**
 * The value of a metric without labels in Prometheus' text format; undefined if it is absent or not a number. Names are
 * compared as a whole: `x` does not match `x_total`.
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

/** The values of a metric in Prometheus' text format, by one of its labels; empty if the metric is absent. */
export function labelledValues(text: string, name: string, label: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}{`)) continue;
    const key = new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1];
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (key !== undefined && Number.isFinite(value)) found.set(key, value);
  }
  return found;
}
