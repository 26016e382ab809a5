// SPDX-License-Identifier: Apache-2.0
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { WriteBehind } from '../write-behind.ts';
import { Measure, type Measured } from './measure.ts';

/** Files beside the snapshot: the incomplete snapshot, the hash of the snapshot, and a file that marks the restore as over. */
const partOf = (file: string) => `${file}.part`;
const hashOf = (file: string) => `${file}.sha256`;
const overMark = (file: string) => `${file}.over`;

/** True if etcd's data directory is not empty: it was restored before, or belongs to another member. */
export async function hasData(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * True if the snapshot was received and kept before. Files get their final name only when they are complete, but a machine that crashed may
 * have lost bytes that were not on its disk yet. So every byte is hashed again here, because no later step checks the bytes.
 */
export async function isReceived(file: string): Promise<boolean> {
  try {
    const sha256 = await readFile(hashOf(file), 'utf8');
    const measure = new Measure();
    for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) measure.update(piece);
    return measure.result().sha256 === sha256;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export interface PartOptions {
  /** The expected number of bytes; undefined if it is not known in advance. */
  readonly bytes: number | undefined;
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Writes the received bytes to a temporary file next to the snapshot, and measures them. Each piece is hashed while the disk writes the
 * piece before it, so both together take as long as the slower one. The file is not forced to disk: etcd's restore tool reads it on the
 * same machine, and after a crash the hash is checked again.
 */
async function writePart(
  file: string,
  body: AsyncIterable<Uint8Array>,
  { bytes, onProgress }: PartOptions,
): Promise<Measured> {
  const handle = await open(partOf(file), 'w', 0o600);
  try {
    const measure = new Measure();
    const behind = new WriteBehind(handle, (batch) => measure.update(batch));
    let received = 0;
    for await (const piece of body) {
      received += piece.byteLength;
      if (bytes !== undefined && received > bytes)
        throw new Error(`the snapshot is longer than the ${bytes} bytes that were announced`);
      const busy = behind.write(piece);
      if (busy) await busy;
      onProgress?.(received);
    }
    await behind.finish();
    if (bytes !== undefined && received !== bytes)
      throw new Error(`the snapshot is incomplete: ${received} of ${bytes} bytes were received`);
    return measure.result();
  } finally {
    await handle.close();
  }
}

/** Where a received snapshot is stored. It counts as received only once it has been judged. */
export interface SnapshotPlace {
  write(body: AsyncIterable<Uint8Array>, options: PartOptions): Promise<Measured>;
  /** The received data becomes the snapshot. */
  keep(measured: Measured): Promise<void>;
  /** Deletes the received data. */
  drop(): Promise<void>;
}

/** Stores the snapshot in a file, with its other files beside it. */
export function filePlace(file: string): SnapshotPlace {
  return {
    write: (body, options) => writePart(file, body, options),
    keep: (measured) => keepPart(file, measured),
    drop: () => dropPart(file),
  };
}

/** The received data becomes the snapshot. The hash is written first: a snapshot without a hash counts as not received. */
async function keepPart(file: string, { sha256 }: Measured): Promise<void> {
  await writeFile(hashOf(file), sha256, { mode: 0o600 });
  await rename(partOf(file), file);
}

async function dropPart(file: string): Promise<void> {
  await rm(partOf(file), { force: true });
}

/**
 * True if the restore is over: the snapshot was received, and the restore's key has been deleted since, because the restored member has its
 * identity and serves. Then the snapshot is deleted, so that it is not restored a second time. This matters if the member's data is in
 * memory: a reboot of the node keeps the snapshot and loses the data, and the kubelet starts the pod's init containers again. A second
 * restore would start the member with the same identity, but without entries that it has voted for.
 */
export async function isOver(keyFile: string, file: string): Promise<boolean> {
  const mark = overMark(file);
  if (await isThere(keyFile)) return false;
  if (!(await isThere(mark))) {
    if (!(await isThere(file))) return false;
    // The mark is written before the snapshot is deleted: if the process ends in between, the next run must not wait for a key that never
    // comes.
    await writeFile(mark, '');
  }
  await removePartialFiles(file);
  return true;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Deletes the files of an earlier attempt. */
export async function removePartialFiles(file: string): Promise<void> {
  for (const remains of [partOf(file), file, hashOf(file)]) await rm(remains, { force: true });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
