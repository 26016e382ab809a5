// SPDX-License-Identifier: Apache-2.0
import { open } from 'node:fs/promises';

const programHeaderInterpreter = 3;

/**
 * True for a 64-bit little-endian ELF program without a loader, which runs in an otherwise empty image. False for any
 * other or unreadable file.
 */
export async function isStaticProgram(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return false;
  try {
    const header = Buffer.alloc(64);
    await file.read(header, 0, header.length, 0);
    const isElf64 = header.subarray(0, 4).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46])) && header[4] === 2;
    if (!isElf64 || header[5] !== 1) return false;
    const entrySize = header.readUInt16LE(54);
    const entries = Buffer.alloc(entrySize * header.readUInt16LE(56));
    const { bytesRead } = await file.read(entries, 0, entries.length, Number(header.readBigUInt64LE(32)));
    if (bytesRead < entries.length || entrySize < 4) return false;
    for (let offset = 0; offset < entries.length; offset += entrySize) {
      if (entries.readUInt32LE(offset) === programHeaderInterpreter) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}
