// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Random, systemRandom } from '@etcd-operator/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo } from '../blob-store.ts';
import type { ListPage, ReadRequest, ReadResponse, StoreDriver } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { fileError, isAbsence } from './errno.ts';
import { FileFlush } from './file-flush.ts';
import { fileInfo, listFiles, listUploads } from './list-files.ts';
import { RootedPaths, removeIfEmpty, syncDirectory } from './rooted-paths.ts';
import { isUploadFor, mayStartWith, parseUploadName, uploadName } from './upload-name.ts';

/** A directory as a store, such as a mounted volume. */
export interface DirectoryOptions {
  /** Absolute path; it must exist. */
  readonly root: string;
  /** @default 512 KiB */
  readonly partBytes?: number;
  readonly random?: Random;
}

/** A file that is being written under another name beside its place. */
interface FileUpload {
  readonly temporary: string;
  readonly target: string;
  readonly handle: FileHandle;
  readonly flush: FileFlush;
  readonly newDirectories: readonly string[];
  isClosed: boolean;
  isRenamed: boolean;
}

const pageItems = 10_000;
const readBytes = 256 * 1024;

/**
 * Objects are files below the root. A file is written under a name of its own, forced to the disk, and renamed into place; then the
 * directory is forced to the disk too, so that what `put` has resolved for survives a power cut.
 */
export class DirectoryDriver implements StoreDriver<FileUpload> {
  readonly location: string;
  readonly limits: PartLimits;
  readonly #paths: RootedPaths;
  readonly #random: Random;

  constructor(options: DirectoryOptions) {
    this.location = pathToFileURL(options.root).href;
    // What is still in the processor's own cache, of a megabyte or so, costs the system half as much to take; two writers of
    // one file only wait for each other.
    const firstPartBytes = options.partBytes ?? mebibyte / 2;
    this.limits = { firstPartBytes, maxParts: 2 ** 31, maxPartBytes: firstPartBytes, partsInFlight: 1 };
    this.#paths = new RootedPaths(options.root);
    this.#random = options.random ?? systemRandom;
  }

  async clear(key: string): Promise<void> {
    try {
      const { directory, name } = await this.#paths.existing(key);
      for (const file of await readdir(directory)) {
        const upload = parseUploadName(file);
        if (upload && isUploadFor(upload, name)) await rm(join(directory, file), { force: true });
      }
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  async whole(key: string, bytes: Buffer): Promise<Stored> {
    const upload = await this.begin(key);
    try {
      await this.part(upload, { number: 1, offset: 0, bytes, isLast: true });
      return await this.finish(upload);
    } catch (error) {
      await this.abort(upload);
      throw error;
    }
  }

  async begin(key: string): Promise<FileUpload> {
    const { path, directory, name, newDirectories } = await this.#paths.made(key);
    const temporary = join(directory, uploadName(name, this.#random.uuid()));
    try {
      const found = await lstat(path).catch(() => undefined);
      if (found && !found.isFile()) {
        throw new BlobError('InvalidPath', `${path} is there already and is not a file, so it is not replaced`);
      }
      const handle = await this.#paths.create(temporary);
      const flush = new FileFlush(handle);
      return { temporary, target: path, handle, flush, newDirectories, isClosed: false, isRenamed: false };
    } catch (error) {
      await removeIfEmpty(newDirectories);
      throw error;
    }
  }

  async part({ handle, flush }: FileUpload, { bytes, offset }: Part): Promise<void> {
    for (let written = 0; written < bytes.byteLength; ) {
      const result = await handle.write(bytes, written, bytes.byteLength - written, offset + written);
      written += result.bytesWritten;
    }
    flush.written(bytes.byteLength);
  }

  async finish(upload: FileUpload): Promise<Stored> {
    if (!upload.isClosed) {
      await upload.flush.finish();
      upload.isClosed = true;
      await upload.handle.close();
    }
    if (!upload.isRenamed) await rename(upload.temporary, upload.target);
    upload.isRenamed = true;
    for (const made of upload.newDirectories) await syncDirectory(dirname(made));
    await syncDirectory(dirname(upload.target));
    return { etag: fileInfo('', await stat(upload.target, { bigint: true })).etag };
  }

  async abort(upload: FileUpload): Promise<void> {
    if (!upload.isClosed) {
      upload.isClosed = true;
      await upload.flush.settled();
      await upload.handle.close();
    }
    await rm(upload.temporary, { force: true });
    await removeIfEmpty(upload.newDirectories);
  }

  async read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length = Number.POSITIVE_INFINITY } = request;
    const handle = await this.#paths.openToRead(key);
    try {
      const { bytes: size, etag } = fileInfo(key, await handle.stat({ bigint: true }));
      if (request.etag !== undefined && request.etag !== etag) {
        throw new BlobError('NotFound', `${key} was replaced while it was being read`);
      }
      const bytes = Math.max(0, Math.min(length, size - offset));
      return { bytes, etag, body: readRange(handle, offset, bytes, signal) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async stat(key: string): Promise<BlobInfo> {
    await using handle = await this.#paths.openToRead(key);
    return fileInfo(key, await handle.stat({ bigint: true }));
  }

  /** Nobody else has this file system. */
  async lend(): Promise<undefined> {}

  async page(prefix: string, from: string | undefined): Promise<ListPage> {
    const items: BlobInfo[] = [];
    for await (const item of listFiles(await this.#paths.root(), prefix, from)) {
      items.push(item);
      if (items.length === pageItems) return { items, next: item.key };
    }
    return { items, next: undefined };
  }

  async remove(key: string): Promise<void> {
    try {
      const { path, directory } = await this.#paths.existing(key);
      const found = await lstat(path);
      if (found.isSymbolicLink()) {
        throw new BlobError('InvalidPath', `${path} is a symbolic link, which is refused`);
      }
      if (!found.isFile()) return;
      await rm(path);
      await syncDirectory(directory);
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  async sweep(prefix: string, startedBefore: number): Promise<number> {
    const root = await this.#paths.root();
    let swept = 0;
    for await (const { directory, name } of listUploads(root, prefix)) {
      const upload = parseUploadName(name);
      const start = directory === '' ? '' : `${directory}/`;
      const fits = upload && (start.startsWith(prefix) || mayStartWith(upload, prefix.slice(start.length)));
      const path = join(root, directory, name);
      const found = fits ? await stat(path).catch(() => undefined) : undefined;
      // The last write counts: one that is still being written is not old, whenever it began.
      if (!found || found.mtimeMs >= startedBefore) continue;
      await rm(path, { force: true });
      swept += 1;
    }
    return swept;
  }

  close(): void {}

  errorOf(thrown: unknown, what: string): BlobError {
    return fileError(thrown, what);
  }
}

/** The bytes of a range; the file is closed at their end, or when the reader leaves. */
async function* readRange(
  handle: FileHandle,
  offset: number,
  bytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let done = 0; done < bytes; ) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, bytes - done));
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, offset + done);
      if (bytesRead === 0) return;
      done += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
