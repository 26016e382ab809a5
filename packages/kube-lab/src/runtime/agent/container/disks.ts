// SPDX-License-Identifier: Apache-2.0
import { cp, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimeError } from '../../runtime-error.ts';

/** The file that takes the space of a filled disk. */
const ballast = '.ballast';
const chunk = Buffer.alloc(1 << 20);
/** A disk larger than this cannot be in memory. */
const fillLimit = 16 * 2 ** 30;
const tmpfsMagic = 0x01021994;

/** Fills a memory file system completely. */
export async function fillDisk(directory: string): Promise<string> {
  const { type, bsize, bavail } = await statfs(directory);
  if (type !== tmpfsMagic || bsize * bavail > fillLimit) {
    throw new RuntimeError(
      'Unsupported',
      'only a volume with a fixed size can be filled: use the storage class memory or an emptyDir with medium Memory and a sizeLimit',
    );
  }
  const file = join(directory, ballast);
  const handle = await open(file, 'a');
  try {
    for (const piece of [chunk, chunk.subarray(0, 4096)]) {
      while (await writes(() => handle.write(piece)));
    }
  } finally {
    await handle.close();
  }
  return file;
}

async function writes(write: () => Promise<{ bytesWritten: number }>): Promise<boolean> {
  try {
    return (await write()).bytesWritten > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

export async function relieveDisk(directory: string): Promise<void> {
  await rm(join(directory, ballast), { force: true });
}

/** Removes what is on a disk, not the disk. */
export async function blankDisk(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
}

/** Swaps the content of two disks. */
export async function swapDisks(one: string, other: string): Promise<void> {
  const aside = join(one, '.swap');
  await mkdir(aside);
  await moveAll(one, aside);
  await moveAll(other, one);
  await moveAll(aside, other);
  await rm(aside, { recursive: true, force: true });
}

async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) if (name !== '.swap') await move(join(from, name), join(to, name));
}

/** Two memory disks are two file systems: files cannot be renamed between them and are copied. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true });
    await rm(from, { recursive: true, force: true });
  }
}

/** Overwrites bytes in the middle of every file whose path contains `match`. */
export async function corruptDisk(directory: string, match: string): Promise<readonly string[]> {
  const hit: string[] = [];
  for (const name of await readdir(directory, { recursive: true })) {
    const file = join(directory, name);
    const found = await stat(file);
    if (!name.includes(match) || !found.isFile() || found.size === 0) continue;
    const handle = await open(file, 'r+');
    const length = Math.max(1, Math.min(4096, Math.floor(found.size / 2)));
    await handle.write(Buffer.alloc(length, 0xa5), 0, length, Math.floor((found.size - length) / 2));
    await handle.close();
    hit.push(name);
  }
  return hit;
}
