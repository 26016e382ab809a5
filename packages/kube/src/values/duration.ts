// SPDX-License-Identifier: Apache-2.0
import { ParseError } from './parse-error.ts';

const nanosecondsIn: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const longest = 2n ** 63n - 1n;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
const whole = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;

/** Parses a duration in Go's and the API's format, such as `10s`, `1h30m` or `1.5ms`, to milliseconds. */
export function parseDuration(text: string): number {
  const [, sign, body = ''] = whole.exec(text) ?? invalid(text);
  let total = 0n;
  for (const [, digits = '', unit = ''] of body.matchAll(part)) {
    const [integer = '', fraction = ''] = digits.split('.');
    const size = nanosecondsIn[unit] ?? 0n;
    total += (BigInt(integer + fraction) * size) / 10n ** BigInt(fraction.length);
  }
  if (total > longest) invalid(text);
  const milliseconds = Number(total) / 1e6;
  return sign === '-' && total > 0n ? -milliseconds : milliseconds;
}

function invalid(text: string): never {
  throw new ParseError('Duration', `${JSON.stringify(text)} is not a duration such as 10s or 1h30m`);
}

/** Formats milliseconds like Go: `1h30m0s`, `1.5s`, `250ms`. Resolution: nanoseconds. */
export function formatDuration(milliseconds: number): string {
  const total = BigInt(Math.round(Math.abs(milliseconds) * 1e6));
  if (total === 0n) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  if (total < 1_000n) return `${sign}${total}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(total, 3)}µs`;
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 6)}ms`;
  const minutes = total / 60_000_000_000n;
  const seconds = `${decimal(total % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return `${sign}${minutes >= 60n ? `${minutes / 60n}h` : ''}${minutes % 60n}m${seconds}`;
}

/** `value` with its last `places` digits behind a point, trailing zeros left out. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = withoutZeros(digits.slice(-places));
  return `${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
