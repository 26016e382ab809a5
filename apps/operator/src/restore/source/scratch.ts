// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readAhead } from '../read-ahead.ts';
import { WriteBehind } from '../write-behind.ts';
import { type ScratchFile, scratchFile } from './scratch-file.ts';

/** A source that is being kept while it is read. */
export interface Kept {
  write(piece: Uint8Array): Promise<void>;
  /** The source is valid, and may be read from the scratch folder. */
  finish(): Promise<void>;
  /** The source is not valid, or is no longer needed. */
  drop(): Promise<void>;
}

const suffix = '.snapshot';

/** The limit for all sources together: two databases of the largest size that etcd is made for. */
const maxBytes = 16 * 1024 ** 3;

/**
 * A folder in which sources are kept between verification and delivery, so that a large source is fetched only once. This is only an
 * optimisation: without a folder or room, or after a failure, the source is fetched a second time. Files of an earlier process are never
 * used. The new member compares again what is read from the folder.
 */
export class Scratch {
  readonly #directory: string | undefined;
  /** Reserved bytes, by name. */
  readonly #taken = new Map<string, number>();

  private constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** @param directory undefined to keep nothing. Files that an earlier process has left there are deleted. */
  static async open(directory: string | undefined): Promise<Scratch> {
    if (!directory) return new Scratch(undefined);
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory)) {
      if (name.includes(suffix)) await rm(join(directory, name), { force: true });
    }
    return new Scratch(directory);
  }

  /** Begins to keep a source with that many bytes, until it is forgotten; undefined if there is no room for it. */
  async keep(name: string, bytes: number): Promise<Kept | undefined> {
    if (!this.#directory || this.#takenByOthers(name) + bytes > maxBytes) return undefined;
    const file = this.#file(name);
    this.#taken.set(name, bytes);
    try {
      if (await this.#hasRoom(name, bytes)) return keptIn(file, await open(`${file}.part`, 'w', 0o600));
    } catch {
      // Like a missing folder, this only means that the source is fetched a second time.
    }
    this.#taken.delete(name);
    return undefined;
  }

  /**
   * A file without a name, for reading a source at any offset; undefined if there is no folder, or no room for that many bytes. The data is
   * gone when the file is closed, or when the process ends.
   */
  async file(name: string, bytes: number): Promise<ScratchFile | undefined> {
    const path = this.#file(name);
    if (!this.#directory || this.#taken.has(name) || !(await this.#hasRoom(name, bytes))) return undefined;
    this.#taken.set(name, bytes);
    try {
      const handle = await open(`${path}.part`, 'w+', 0o600);
      await rm(`${path}.part`);
      return scratchFile(handle, () => this.#taken.delete(name));
    } catch (error) {
      this.#taken.delete(name);
      throw error;
    }
  }

  /** False if nothing can be kept. */
  get isThere(): boolean {
    return this.#directory !== undefined;
  }

  /** True if the disk has room for twice as many bytes, because the node's other pods need room as well. */
  async #hasRoom(name: string, bytes: number): Promise<boolean> {
    if (!this.#directory || this.#takenByOthers(name) + bytes > maxBytes) return false;
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize >= bytes * 2;
  }

  #takenByOthers(name: string): number {
    let bytes = 0;
    for (const [other, its] of this.#taken) if (other !== name) bytes += its;
    return bytes;
  }

  /** A source that was kept, if it has that many bytes. A piece is valid until the next piece is requested. */
  async read(name: string, bytes: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (!this.#directory) return undefined;
    const file = this.#file(name);
    try {
      if ((await stat(file)).size !== bytes) return undefined;
      return readAhead(file);
    } catch {
      return undefined;
    }
  }

  /** Removes everything whose name begins with the prefix, finished or not. */
  async forget(prefix: string): Promise<void> {
    for (const name of [...this.#taken.keys()].filter((taken) => taken.startsWith(prefix))) {
      this.#taken.delete(name);
      for (const file of [this.#file(name), `${this.#file(name)}.part`]) await rm(file, { force: true });
    }
  }

  #file(name: string): string {
    return join(this.#directory ?? '', `${name.replaceAll(/[^A-Za-z0-9-]/g, '_')}${suffix}`);
  }
}

function keptIn(file: string, handle: FileHandle): Kept {
  const behind = new WriteBehind(handle);
  let isSound = true;
  const drop = async () => {
    isSound = false;
    await handle.close().catch(() => undefined);
    await rm(`${file}.part`, { force: true });
  };
  return {
    write: async (piece) => {
      if (!isSound) return;
      try {
        await behind.write(piece);
      } catch {
        // A full disk is no reason to fail: the source is fetched again.
        await drop();
      }
    },
    finish: async () => {
      if (!isSound) return;
      try {
        await behind.finish();
      } catch {
        return drop();
      }
      await handle.close();
      await rename(`${file}.part`, file);
    },
    drop,
  };
}
