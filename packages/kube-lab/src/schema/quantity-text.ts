// SPDX-License-Identifier: Apache-2.0

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** What the real server says about a text that is no quantity. */
export const quantityFormatError =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

type Format = 'decimal' | 'binary' | 'exponent';

/** A quantity in units of 10^-9; undefined if the text is none. */
export function quantityNanos(text: string): bigint | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const { format, exponent } = interpret(suffix);
  const nanos = toNanos(BigInt(`${whole}${fraction}`), fraction.length, format, exponent);
  return sign === '-' ? -nanos : nanos;
}

/** The canonical text of a quantity, as the API server writes it back: `0.5` is `500m`, `1024Mi` is `1Gi`. Undefined if it is none. */
export function canonicalQuantity(text: string): string | undefined {
  if (text === '0') return text;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = `${whole.replace(/^0+/, '')}${fraction}` || '0';
  const { format, exponent } = interpret(suffix);
  if (isCanonicalAsWritten(format, exponent, digits, fraction.length)) return text;
  const nanos = toNanos(BigInt(digits), fraction.length, format, exponent);
  return nanos === 0n ? '0' : write(nanos, format, sign === '-' ? '-' : '');
}

function interpret(suffix: string): { readonly format: Format; readonly exponent: number } {
  if (/^[eE][+-]?\d+$/.test(suffix)) return { format: 'exponent', exponent: Number(suffix.slice(1)) };
  const binary = suffix === '' ? -1 : binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { format: 'binary', exponent: binary * 10 };
  return { format: 'decimal', exponent: (decimalSuffixes.indexOf(suffix) - 3) * 3 };
}

/** The real server keeps the text of numbers that look canonical to it, whatever their size. */
function isCanonicalAsWritten(format: Format, exponent: number, digits: string, decimals: number): boolean {
  if (digits.length > 15) return false;
  if (format === 'binary') return decimals === 0 && exponent > 0 && (BigInt(digits) & 7n) !== 0n;
  const scale = exponent - decimals;
  return scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/** The amount in units of 10^-9; what is smaller is rounded up. */
function toNanos(digits: bigint, decimals: number, format: Format, exponent: number): bigint {
  const scaled = format === 'binary' ? digits << BigInt(exponent) : digits;
  const power = 9 - decimals + (format === 'binary' ? 0 : exponent);
  if (power >= 0) return scaled * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (scaled + divisor - 1n) / divisor;
}

const billion = 1_000_000_000n;

function write(nanos: bigint, format: Format, sign: string): string {
  if (format === 'binary' && nanos % billion === 0n && nanos >= 1024n * billion) {
    const [amount, steps] = divide(nanos / billion, 1024n, binarySuffixes.length - 1);
    return `${sign}${amount}${binarySuffixes[steps]}`;
  }
  const [amount, steps] = divide(nanos, 1000n, decimalSuffixes.length - 1);
  if (format !== 'exponent') return `${sign}${amount}${decimalSuffixes[steps]}`;
  return `${sign}${amount}${steps === 3 ? '' : `e${(steps - 3) * 3}`}`;
}

function divide(amount: bigint, by: bigint, most: number): readonly [bigint, number] {
  let rest = amount;
  let steps = 0;
  while (steps < most && rest % by === 0n) {
    rest /= by;
    steps++;
  }
  return [rest, steps];
}
