// SPDX-License-Identifier: Apache-2.0
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobInfo } from '../blob-store.ts';
import { checkKey } from '../object-key.ts';
import { isAbsence } from './errno.ts';
import { parseUploadName } from './upload-name.ts';
import type { OnVolume } from './volume-calls.ts';

/** What to list. */
export interface ListedRoot {
  readonly root: string;
  readonly on: OnVolume;
}

/**
 * One entry of a directory; `sortKey` orders keys like object stores do, by bytes, with a slash at the end of
 * directories.
 */
interface Entry {
  readonly key: string;
  readonly sortKey: Buffer;
  readonly isDirectory: boolean;
}

/**
 * The files below `root` whose keys start with `prefix` and come after `after`, in the byte order of their keys.
 * Without symbolic links, unfinished uploads, and names that are invalid keys. Reads only directories that can contain
 * such keys.
 */
export async function* listFiles(
  root: ListedRoot,
  prefix: string,
  after: string | undefined,
  directory = '',
): AsyncGenerator<BlobInfo, void, undefined> {
  for (const entry of await entriesOf(root, directory)) {
    if (after !== undefined && isBefore(entry, after)) continue;
    if (entry.isDirectory) {
      const inside = `${entry.key}/`;
      if (inside.startsWith(prefix) || prefix.startsWith(inside)) yield* listFiles(root, prefix, after, entry.key);
    } else if (entry.key.startsWith(prefix)) {
      const info = await infoOf(root, entry.key);
      if (info) yield info;
    }
  }
}

/** Names of uploads below `root` in directories that can contain keys with this prefix: path and name. */
export async function* listUploads(
  root: ListedRoot,
  prefix: string,
  directory = '',
): AsyncGenerator<{ readonly directory: string; readonly name: string }, void, undefined> {
  for (const dirent of await read(root, directory)) {
    const path = directory === '' ? dirent.name : `${directory}/${dirent.name}`;
    if (dirent.isDirectory()) {
      const inside = `${path}/`;
      if (inside.startsWith(prefix) || prefix.startsWith(inside)) yield* listUploads(root, prefix, path);
    } else if (dirent.isFile() && parseUploadName(dirent.name)) {
      yield { directory, name: dirent.name };
    }
  }
}

/** The facts about a file. Each write creates a new file, so its inode number and its time identify the content. */
export function fileInfo(key: string, found: BigIntStats): BlobInfo {
  return {
    key,
    bytes: Number(found.size),
    modifiedAt: Number(found.mtimeMs),
    etag: `${found.ino}-${found.mtimeNs}-${found.size}`,
  };
}

async function entriesOf(root: ListedRoot, directory: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const dirent of await read(root, directory)) {
    const key = directory === '' ? dirent.name : `${directory}/${dirent.name}`;
    const isDirectory = dirent.isDirectory();
    if (!(isDirectory || dirent.isFile()) || parseUploadName(dirent.name) || !isKey(key)) continue;
    entries.push({ key, isDirectory, sortKey: Buffer.from(isDirectory ? `${key}/` : key) });
  }
  return entries.sort((a, b) => Buffer.compare(a.sortKey, b.sortKey));
}

async function read({ root, on }: ListedRoot, directory: string): Promise<readonly Dirent[]> {
  try {
    return await on(() => readdir(join(root, directory), { withFileTypes: true }));
  } catch (error) {
    // The directory was deleted after it was listed.
    if (directory !== '' && isAbsence(error)) return [];
    throw error;
  }
}

async function infoOf({ root, on }: ListedRoot, key: string): Promise<BlobInfo | undefined> {
  try {
    const found = await on(() => lstat(join(root, key), { bigint: true }));
    return found.isFile() ? fileInfo(key, found) : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** True if the whole entry is at or before the last key of the previous page. */
function isBefore({ sortKey, isDirectory, key }: Entry, after: string): boolean {
  if (isDirectory && after.startsWith(`${key}/`)) return false;
  return Buffer.compare(sortKey, Buffer.from(after)) <= 0;
}

function isKey(key: string): boolean {
  try {
    checkKey(key);
    return true;
  } catch {
    return false;
  }
}
