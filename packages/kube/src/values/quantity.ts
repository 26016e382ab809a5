// SPDX-License-Identifier: Apache-2.0
import { ParseError } from './parse-error.ts';

/** The suffix format of a quantity: `2k`, `2Ki` or `2e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * An exact number of the API: `100m`, `1.5Gi`, `2e3`. Stored as a bigint in billionths, the resolution of the API, so
 * that calculations never round. Keeps its suffix format.
 */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const nanoDigits = 9;
const one = 10n ** BigInt(nanoDigits);
const largestBinary = (2n ** 63n - 1n) * one;
/** Far above real values; limits the cost of a short text with a large exponent. */
const largestExponent = 400;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const grammar = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([eE])([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/**
 * Parses a quantity. Digits below a billionth are rounded away from zero; quantities with a binary suffix are capped at
 * 2^63-1, as on the server.
 */
export function parseQuantity(text: string | number): Quantity {
  const source = String(text);
  const [, sign, digits = '', mark, exponent = '0', suffix = ''] = grammar.exec(source) ?? invalid(source);
  const [whole = '', fraction = ''] = digits.split('.');
  const mantissa = BigInt(whole + fraction);
  const binary = suffix.endsWith('i') ? binarySuffixes.indexOf(suffix) : 0;
  const power = mark ? Number(exponent) : binary ? 0 : 3 * (decimalSuffixes.indexOf(suffix) - 3);
  if (mantissa !== 0n && Math.abs(power) > largestExponent) invalid(source);
  const scaled = scale(mantissa * 1024n ** BigInt(binary), power - fraction.length + nanoDigits);
  const size = binary && scaled > largestBinary ? largestBinary : scaled;
  return { nano: sign === '-' ? -size : size, format: formatOf(mark, binary > 0 && (size === 0n || size >= one)) };
}

function formatOf(exponentMark: string | undefined, binary: boolean): QuantityFormat {
  if (exponentMark) return 'DecimalExponent';
  return binary ? 'BinarySI' : 'DecimalSI';
}

/** `value` times a power of ten, rounded up. */
function scale(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  return ceilDivide(value, 10n ** BigInt(-power));
}

function ceilDivide(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function invalid(text: string): never {
  throw new ParseError('Quantity', `${JSON.stringify(text)} is not a quantity such as 100m, 1.5Gi or 2e3`);
}

/** The canonical text: no fraction, and the largest suffix that allows this. `1.5` is `1500m`, `1024Mi` is `1Gi`. */
export function formatQuantity(quantity: Quantity): string {
  const { nano } = quantity;
  if (nano === 0n) return '0';
  const whole = nano % one === 0n;
  const large = nano >= 1024n * one || nano <= -1024n * one;
  if (quantity.format === 'BinarySI' && whole && large) return formatBinary(nano / one);
  const [mantissa, zeros] = withoutFactors(nano, 10n);
  const exponent = zeros - nanoDigits;
  const third = Math.floor(exponent / 3);
  if (quantity.format === 'DecimalExponent') {
    return `${mantissa * 10n ** BigInt(exponent - 3 * third)}${third === 0 ? '' : `e${3 * third}`}`;
  }
  const fitting = Math.min(third, decimalSuffixes.length - 4);
  return `${mantissa * 10n ** BigInt(exponent - 3 * fitting)}${decimalSuffixes[fitting + 3]}`;
}

function formatBinary(value: bigint): string {
  const [mantissa, times] = withoutFactors(value, 1024n);
  return `${mantissa}${binarySuffixes[times]}`;
}

/** What is left of `value` after dividing it by `factor` as often as possible, and how often that was. */
function withoutFactors(value: bigint, factor: bigint): readonly [bigint, number] {
  let [rest, times] = [value, 0];
  while (rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [rest, times];
}

/** The whole number at or above a quantity (away from zero): bytes of a memory limit, for example. */
export function wholeValue(quantity: Quantity): bigint {
  return quantity.nano < 0n ? -ceilDivide(-quantity.nano, one) : ceilDivide(quantity.nano, one);
}

/**
 * The text that the API server stores for a quantity: the canonical one, except that it keeps some texts that need no
 * change of suffix (`1.125`, `+5`).
 */
export function storedQuantity(text: string | number): string {
  const source = String(text);
  return isKeptAsWritten(source) ? source : formatQuantity(parseQuantity(source));
}

function isKeptAsWritten(text: string): boolean {
  const [, , digits = '', mark, exponent = '0', suffix = ''] = grammar.exec(text) ?? invalid(text);
  const [whole = '', fraction = ''] = digits.split('.');
  const significant = whole.replace(/^0+/, '') || '0';
  if (suffix.endsWith('i')) {
    const tens = binarySuffixes.indexOf(suffix);
    return fraction === '' && significant.length + 3 * tens <= 14 && BigInt(significant) % 8n !== 0n;
  }
  const all = significant + fraction;
  const power = (mark ? Number(exponent) : 3 * (decimalSuffixes.indexOf(suffix) - 3)) - fraction.length;
  return all.length <= 18 && power >= -nanoDigits && power % 3 === 0 && !all.endsWith('000') && !all.startsWith('0');
}
