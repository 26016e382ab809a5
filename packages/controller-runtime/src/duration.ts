// SPDX-License-Identifier: Apache-2.0

/**
 * A duration: milliseconds as a number, or `'250ms'`, `'30s'`, `'5m'`, `'2h'`. Converted once, where it is configured.
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a duration. Throws unless it is finite and not negative. */
export function milliseconds(duration: Duration): number {
  const value = typeof duration === 'number' ? duration : parse(duration);
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not a duration: ${JSON.stringify(duration)}`);
  return value;
}

function parse(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  return match ? Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
}
