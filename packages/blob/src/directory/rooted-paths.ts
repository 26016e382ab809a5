// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { BlobError } from '../blob-error.ts';
import { errnoOf, isAbsence } from './errno.ts';
import { parseUploadName } from './upload-name.ts';
import type { OnVolume } from './volume-calls.ts';

/**
 * Backups contain all data of etcd, so they are readable only for the owner and the group: pods share a volume by its
 * group.
 */
const fileMode = 0o640;
const directoryMode = 0o750;

/** The path of a key's file, and of its directory, below the resolved root. Symbolic links below the root are refused. */
export interface FilePlace {
  readonly path: string;
  readonly directory: string;
  readonly name: string;
}

/**
 * Maps keys to paths below a root, and opens them. Nothing outside the root is ever touched: keys contain no `..`, and
 * neither the file nor a directory on its path may be a symbolic link. An opened file is checked again, in case another
 * user of the volume changed a directory meanwhile.
 */
export class RootedPaths {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The root without symbolic links. */
  async root(on: OnVolume): Promise<string> {
    try {
      const real = await on(() => realpath(this.#root));
      if ((await on(() => lstat(real))).isDirectory()) return real;
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
    throw new BlobError('BucketMissing', `${this.#root} is not a directory; check that the volume is mounted`);
  }

  /** The path of a key whose directory should exist; otherwise `NotFound`. */
  async existing(key: string, on: OnVolume): Promise<FilePlace> {
    const place = placeBelow(await this.root(on), key);
    if ((await on(() => realpath(place.directory))) !== place.directory) throw throughLink(key);
    return place;
  }

  /** The path of a key; missing directories are created, and returned, outermost first. */
  async made(key: string, on: OnVolume): Promise<FilePlace & { readonly newDirectories: readonly string[] }> {
    const root = await this.root(on);
    const place = placeBelow(root, key);
    const newDirectories: string[] = [];
    const segments = relative(root, place.directory).split(sep);
    let directory = root;
    for (const segment of segments.filter((one) => one !== '')) {
      const below = join(directory, segment);
      directory = below;
      if (await on(() => makeDirectory(below))) newDirectories.push(directory);
      const found = await on(() => lstat(below));
      if (found.isSymbolicLink()) throw throughLink(key);
      if (!found.isDirectory()) {
        throw new BlobError(
          'InvalidPath',
          `the object name ${JSON.stringify(key)} cannot be used: ${directory} is a file, not a directory`,
        );
      }
    }
    return { ...place, newDirectories };
  }

  /** Opens a regular file for reading. */
  async openToRead(key: string, on: OnVolume): Promise<FileHandle> {
    const { path } = await this.existing(key, on);
    const found = await on(() => lstat(path));
    if (found.isSymbolicLink()) throw throughLink(key);
    if (!found.isFile()) throw new BlobError('NotFound', `${path} is not a file`);
    // Without O_NONBLOCK, opening a pipe that has replaced the file would block forever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return this.#opened(path, on, () => open(path, flags));
  }

  /** Creates a new file and opens it for writing. */
  async create(path: string, on: OnVolume): Promise<FileHandle> {
    return this.#opened(path, on, () => open(path, 'wx', fileMode));
  }

  async #opened(path: string, on: OnVolume, openIt: () => Promise<FileHandle>): Promise<FileHandle> {
    const handle = await on(openIt, (late) => late.close());
    // Without /proc, only the checks before opening apply.
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => path);
    if (opened === path) return handle;
    await on(() => handle.close());
    throw new BlobError('InvalidPath', `${path} was replaced by a symbolic link while it was being opened`);
  }
}

function placeBelow(root: string, key: string): FilePlace {
  const path = join(root, key);
  const name = basename(path);
  if (key.split('/').some((segment) => parseUploadName(segment))) {
    throw new BlobError(
      'InvalidPath',
      `the object name ${JSON.stringify(key)} is refused: its name is reserved for unfinished uploads`,
    );
  }
  return { path, directory: dirname(path), name };
}

/** True if the directory was created, false if it existed. */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: directoryMode });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes empty directories, innermost first. */
export async function removeIfEmpty(directories: readonly string[], on: OnVolume): Promise<void> {
  for (const directory of directories.toReversed()) {
    await on(() => rmdir(directory).catch(() => {}));
  }
}

/** Syncs a directory. */
export async function syncDirectory(path: string, on: OnVolume): Promise<void> {
  await on(async () => {
    await using handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync();
  });
}

function throughLink(key: string): BlobError {
  return new BlobError(
    'InvalidPath',
    `the object name ${JSON.stringify(key)} is refused: its path contains a symbolic link`,
  );
}
