// SPDX-License-Identifier: Apache-2.0
import { crc32 } from 'node:zlib';
import type { Stored } from '../write/part-driver.ts';

/** A part of an upload and its CRC-32, as S3 writes it. */
export interface PartSum {
  readonly number: number;
  readonly bytes: number;
  readonly sum: string;
}

/** CRC-32 as S3 writes it. Of all sums that S3 knows, the one that Node's own zlib makes faster than the bytes can be copied. */
export function crc32Of(bytes: Uint8Array): string {
  return written(crc32(bytes));
}

/** The sum that S3 gives to an object of these parts: that of their sums, and how many there are. */
export function crc32OfParts(parts: readonly PartSum[]): string {
  return `${crc32Of(Buffer.concat(parts.map(({ sum }) => Buffer.from(sum, 'base64'))))}-${parts.length}`;
}

/** CRC-32 of all bytes of these parts, which are in order, without the bytes: that of what is before moves on by the length of each. */
export function crc32OfWhole(parts: readonly PartSum[]): string {
  return written(parts.reduce((sum, part) => (product(sum, shiftBy(part.bytes)) ^ numberOf(part.sum)) >>> 0, 0));
}

/**
 * What the sum proves that a store tells of the object that it has put together. One with the number of parts in it is made of their
 * sums: it says that the store has every part, and not that it has put them together right.
 */
export function comparedWhole(told: string | undefined, parts: readonly PartSum[]): Stored['checksum'] {
  if (!told) return 'unknown';
  if (!told.includes('-')) return told === crc32OfWhole(parts) ? 'same' : 'other';
  if (told !== crc32OfParts(parts)) return 'other';
  return parts.length === 1 ? 'same' : 'unknown';
}

function written(sum: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  return bytes.toString('base64');
}

function numberOf(sum: string): number {
  return Buffer.from(sum, 'base64').readUInt32BE();
}

/** CRC-32 counts in polynomials over two elements, modulo this one; the highest bit is the lowest power. */
const polynomial = 0xedb88320;
const one = 0x80000000;
const shiftOfByte = one >>> 8;

function product(a: number, b: number): number {
  let sum = 0;
  for (let bit = one, shifted = b; bit !== 0; bit >>>= 1) {
    if (a & bit) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return sum >>> 0;
}

/** What a sum is multiplied by when so many bytes come after it. */
function shiftBy(bytes: number): number {
  let shift = one;
  for (let left = bytes, square = shiftOfByte; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = product(shift, square);
    square = product(square, square);
  }
  return shift;
}
