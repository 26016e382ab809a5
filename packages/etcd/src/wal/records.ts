// SPDX-License-Identifier: Apache-2.0
import { bytes, int64, uint32 } from '../client/wire/field.ts';
import { message } from '../client/wire/message.ts';
import { crc32c } from './crc32c.ts';
import { LogError } from './log-error.ts';

/** Types of the records in a file of etcd's write-ahead log. */
export const recordTypes = { metadata: 1, entry: 2, state: 3, crc: 4, snapshot: 5 } as const;

const record = message({ type: int64(1), crc: uint32(2), data: bytes(3) });

/** A record without its frame. */
export interface LogRecord {
  readonly type: number;
  readonly data: Uint8Array;
}

/** The end of the records of a file. */
export interface FileEnd {
  readonly offset: number;
  readonly crc: number;
  /** True if an incomplete record follows: the last write was interrupted, or the end is damaged. */
  readonly isTorn: boolean;
  /**
   * True if zeros follow. etcd reserves them in the file that it writes to, and cuts them off when it begins the next
   * file.
   */
  readonly hasRoom: boolean;
}

const lengthBytes = 8;

/**
 * Reads the records of one file in order, and returns where they end. Before each record are 8 bytes: its length and,
 * in the highest byte, its padding. Zeros follow the last record. Throws a `LogError` for a complete record with a
 * wrong checksum, and for a file that does not begin with a checksum record: etcd writes that record before it gives
 * the file its name.
 *
 * @param before the checksum of all previous files; 0 for the first
 */
export function* readRecords(file: Uint8Array, before: number): Generator<LogRecord, FileEnd> {
  if (firstType(file) !== recordTypes.crc)
    throw new LogError('Damaged', 'a file of its write-ahead log (WAL) does not begin with a checksum record');
  let offset = 0;
  let crc = before;
  for (;;) {
    const framed = frameAt(file, offset);
    if (!framed) return { offset, crc, isTorn: !isZero(file.subarray(offset)), hasRoom: offset < file.byteLength };
    const found = decode(framed);
    const isSound = found && isChecked(found, crc);
    if (!isSound && isTorn(framed, offset + lengthBytes)) return { offset, crc, isTorn: true, hasRoom: false };
    if (!isSound)
      throw new LogError(
        'Damaged',
        `a record at byte ${offset} of its write-ahead log (WAL) does not match its checksum`,
      );
    crc = found.crc;
    if (Number(found.type) !== recordTypes.crc) yield { type: Number(found.type), data: found.data };
    offset += framed.whole;
  }
}

/** An encoded record, and the checksum up to and including it. */
export function writeRecord(type: number, data: Uint8Array, before: number): { bytes: Uint8Array; crc: number } {
  const crc = crc32c(before, data);
  const encoded = record.encode({ type: BigInt(type), crc, data });
  const padding = (lengthBytes - (encoded.byteLength % lengthBytes)) % lengthBytes;
  const framed = Buffer.alloc(lengthBytes + encoded.byteLength + padding);
  framed.writeUInt32LE(encoded.byteLength, 0);
  if (padding > 0) framed.writeUInt8(0x80 | padding, lengthBytes - 1);
  framed.set(encoded, lengthBytes);
  return { bytes: framed, crc };
}

interface Frame {
  /** The length as stated before the record, and `whole` with these 8 bytes and the padding. */
  readonly length: number;
  readonly whole: number;
  /** The available bytes of the record: the file may end before the record does. */
  readonly data: Uint8Array;
  readonly isCut: boolean;
}

/** Undefined if nothing follows. */
function frameAt(file: Uint8Array, offset: number): Frame | undefined {
  const start = offset + lengthBytes;
  if (start > file.byteLength) return undefined;
  const view = new DataView(file.buffer, file.byteOffset + offset, lengthBytes);
  const length = view.getUint32(0, true) + (view.getUint32(4, true) & 0x00ff_ffff) * 2 ** 32;
  const mark = view.getUint8(lengthBytes - 1);
  const whole = lengthBytes + length + (mark & 0x80 ? mark & 0x07 : 0);
  if (length === 0) return undefined;
  return { length, whole, data: file.subarray(start, start + length), isCut: offset + whole > file.byteLength };
}

function firstType(file: Uint8Array): number | undefined {
  const framed = frameAt(file, 0);
  const found = framed && decode(framed);
  return found && Number(found.type);
}

function decode({ data, isCut }: Frame): ReturnType<typeof record.decode> | undefined {
  if (isCut) return undefined;
  try {
    return record.decode(data);
  } catch {
    return undefined;
  }
}

/**
 * True if the checksum is right. Each record contains the checksum of all data up to its own. A record of type `crc`,
 * at the beginning of each file, contains nothing else.
 */
function isChecked({ type, crc, data }: ReturnType<typeof record.decode>, before: number): boolean {
  if (Number(type) === recordTypes.crc) return before === 0 || crc === before;
  return crc === crc32c(before, data);
}

const sectorBytes = 512;

/**
 * True if the write of the record was interrupted: a sector of zeros in it, or bytes after the end of the file, never
 * reached the disk. etcd silently drops such a record as well. etcd also drops a record of which only the length is
 * damaged, and everything after it; here that is an error.
 */
function isTorn({ data, length, isCut }: Frame, offset: number): boolean {
  const first = data.subarray(0, sectorBytes - (offset % sectorBytes));
  if (isZero(first)) return true;
  const isOnlyFirst = isZero(data.subarray(first.byteLength, first.byteLength + sectorBytes));
  if (!agreesOnLength(isOnlyFirst ? first : data, length)) return false;
  for (let start = first.byteLength; start < data.byteLength; start += sectorBytes)
    if (isZero(data.subarray(start, start + sectorBytes))) return true;
  return isCut;
}

/** etcd makes a file 64 MiB long before it writes to it, so zeros are compared in blocks, not byte by byte. */
const zeros = Buffer.alloc(64 * 1024);

function isZero(bytesOfFile: Uint8Array): boolean {
  for (let start = 0; start < bytesOfFile.byteLength; start += zeros.byteLength) {
    const block = bytesOfFile.subarray(start, start + zeros.byteLength);
    if (zeros.compare(block, 0, block.byteLength, 0, block.byteLength) !== 0) return false;
  }
  return true;
}

/**
 * Whether the stated length of a record agrees with the beginning of its content: type, checksum and the length of its
 * data.
 */
function agreesOnLength(beginning: Uint8Array, length: number): boolean {
  let at = 0;
  let value = 0;
  for (const tag of [0x08, 0x10, 0x1a]) {
    if (at < beginning.byteLength && beginning[at] !== tag) return false;
    value = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      at++;
      // The rest of the record never reached the disk.
      if (at >= beginning.byteLength) return true;
      byte = beginning[at] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
    }
    at++;
  }
  return at + value === length;
}
