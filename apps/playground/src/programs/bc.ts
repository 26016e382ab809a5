// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';

/**
 * A stand-in for `bc -l` that knows one expression, the one that the tutorials' Jobs compute: `scale=N; 4*a(1)`, pi with N digits after
 * the point. By the formula of Machin, which gives ten thousand of them in a blink.
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

/** Lines of 68 digits and a backslash, as bc prints them. */
function linesOf(number: string): string {
  return number.match(/.{1,68}/g)?.join('\\\n') ?? '';
}
