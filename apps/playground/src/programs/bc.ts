// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';

/**
 * A stand-in for `bc -l` with one expression, that of the tutorials' Jobs: `scale=N; 4*a(1)`, pi with N decimals.
 * Machin's formula computes ten thousand of them at once.
 */
const [, digits] = /^scale=(\d+); *4\*a\(1\)$/.exec((await text(process.stdin)).trim()) ?? [];
if (digits === undefined) {
  process.stderr.write('this bc can only calculate "scale=N; 4*a(1)"\n');
  process.exitCode = 1;
} else process.stdout.write(`${linesOf(pi(Number(digits)))}\n`);

function pi(scale: number): string {
  const spare = 10n;
  const one = 10n ** (BigInt(scale) + spare);
  const scaled = (4n * (4n * arctangentOfInverse(5n, one) - arctangentOfInverse(239n, one))) / 10n ** spare;
  const all = String(scaled);
  return `${all.slice(0, 1)}.${all.slice(1)}`;
}

/** The arc tangent of 1/x, times `one`. */
function arctangentOfInverse(x: bigint, one: bigint): bigint {
  let power = one / x;
  let sum = power;
  for (let odd = 3n, sign = -1n; power > 0n; odd += 2n, sign = -sign) {
    power /= x * x;
    sum += (sign * power) / odd;
  }
  return sum;
}

/** Lines of 68 digits and a backslash, in bc's format. */
function linesOf(number: string): string {
  return number.match(/.{1,68}/g)?.join('\\\n') ?? '';
}
