// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { readAhead } from '../read-ahead.ts';
import { WriteBehind } from '../write-behind.ts';
import { type ScratchFile, scratchFile } from './scratch-file.ts';

/** A source that is being kept on its way. */
export interface Kept {
  write(piece: Uint8Array): Promise<void>;
  /** The source is sound: it may be read from here. */
  finish(): Promise<void>;
  /** It is not, or nobody wants it. */
  drop(): Promise<void>;
}

const suffix = '.snapshot';

/** What all sources together may take: two of the largest databases that etcd is made for. */
const maxBytes = 16 * 1024 ** 3;

/**
 * A folder in which sources stay between being verified and being delivered, so that a large one is fetched once. Only an
 * optimisation: where there is no folder, no room or a fault, the source is fetched a second time. Nothing in it outlives
 * the process; what is read from it is compared again by whoever receives it.
 */
export class Scratch {
  readonly #directory: string | undefined;
  /** What has been given away, by name. */
  readonly #taken = new Map<string, number>();

  private constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** @param directory undefined to keep nothing. What an earlier process has left there is removed. */
  static async open(directory: string | undefined): Promise<Scratch> {
    if (!directory) return new Scratch(undefined);
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory)) {
      if (name.includes(suffix)) await rm(join(directory, name), { force: true });
    }
    return new Scratch(directory);
  }

  /** Begins to keep a source of that many bytes, until it is forgotten; undefined if there is no room for it. */
  async keep(name: string, bytes: number): Promise<Kept | undefined> {
    if (!this.#directory || this.#takenByOthers(name) + bytes > maxBytes) return undefined;
    const file = this.#file(name);
    this.#taken.set(name, bytes);
    try {
      if (await this.#hasRoom(name, bytes)) return keptIn(file, await open(`${file}.part`, 'w', 0o600));
    } catch {
      // As without a folder.
    }
    this.#taken.delete(name);
    return undefined;
  }

  /**
   * A file without a name, for whoever has to read a source at any place; undefined if there is no folder, or no room for that many bytes. Nothing of it is left
   * when it is closed, or when the process ends.
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

  /** False if nothing can be kept at all. */
  get isThere(): boolean {
    return this.#directory !== undefined;
  }

  /** The node's other pods need room as well. */
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

  /** A source that was kept, if it has that many bytes. A piece of it is there until the next one is asked for. */
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

  /** Removes everything whose name begins so, finished or not. */
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
        // A full disk is no reason to stop: it is fetched again.
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
