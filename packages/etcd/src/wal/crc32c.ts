// SPDX-License-Identifier: Apache-2.0

const polynomial = 0x82f6_3b78;

/**
 * How many bytes are processed at once. Byte by byte, a log of a gigabyte would take ten seconds instead of one second.
 */
const stride = 16;
const values = 256;

/**
 * What a byte contributes to the checksum, for each position among the bytes that are processed at once, the last
 * position first.
 */
const tables = new Int32Array(stride * values);
for (let byte = 0; byte < values; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  tables[byte] = value;
}
for (let place = values; place < tables.length; place++) {
  const before = tables[place - values] ?? 0;
  tables[place] = (before >>> 8) ^ (tables[before & 0xff] ?? 0);
}

/** What four bytes contribute to the checksum. `last` is where the table for the last of them starts. */
function word(bytes: number, last: number): number {
  return (
    (tables[last + 3 * values + (bytes & 0xff)] ?? 0) ^
    (tables[last + 2 * values + ((bytes >>> 8) & 0xff)] ?? 0) ^
    (tables[last + values + ((bytes >>> 16) & 0xff)] ?? 0) ^
    (tables[last + (bytes >>> 24)] ?? 0)
  );
}

/** CRC-32C (Castagnoli) of `bytes`, continued from `before`: how etcd chains the records of its log. */
export function crc32c(before: number, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.byteLength - (bytes.byteLength % stride);
  let crc = ~before;
  let at = 0;
  for (; at < whole; at += stride)
    crc =
      word(view.getInt32(at, true) ^ crc, 12 * values) ^
      word(view.getInt32(at + 4, true), 8 * values) ^
      word(view.getInt32(at + 8, true), 4 * values) ^
      word(view.getInt32(at + 12, true), 0);
  for (; at < bytes.byteLength; at++) crc = (crc >>> 8) ^ (tables[(crc ^ view.getUint8(at)) & 0xff] ?? 0);
  return ~crc >>> 0;
}
