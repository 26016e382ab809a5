// SPDX-License-Identifier: Apache-2.0
import { crc32 } from 'node:zlib';
import type { Stored } from '../write/part-driver.ts';

/** A part of an upload and its CRC-32, in S3's format. */
export interface PartSum {
  readonly number: number;
  readonly bytes: number;
  readonly sum: string;
}

/**
 * CRC-32 in S3's format: of S3's checksums, only this one is computed by Node's own zlib, faster than bytes are copied.
 */
export function crc32Of(bytes: Uint8Array): string {
  return written(crc32(bytes));
}

/** S3's composite checksum of an object with these parts: the checksum of their checksums, and their number. */
export function crc32OfParts(parts: readonly PartSum[]): string {
  return `${crc32Of(Buffer.concat(parts.map(({ sum }) => Buffer.from(sum, 'base64'))))}-${parts.length}`;
}

/** CRC-32 of all bytes of these ordered parts, computed from their checksums and lengths. */
export function crc32OfWhole(parts: readonly PartSum[]): string {
  return written(parts.reduce((sum, part) => (product(sum, shiftBy(part.bytes)) ^ numberOf(part.sum)) >>> 0, 0));
}

/**
 * Compares the checksum of an assembled object with its parts. A composite checksum contains the number of parts and is
 * computed from their checksums: it shows that the store has every part, but not that it has assembled them correctly.
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

/** CRC-32 uses polynomials over GF(2), modulo this polynomial; the highest bit is the lowest power. */
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

/** The factor for a checksum that this many bytes follow. */
function shiftBy(bytes: number): number {
  let shift = one;
  for (let left = bytes, square = shiftOfByte; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = product(shift, square);
    square = product(square, square);
  }
  return shift;
}
