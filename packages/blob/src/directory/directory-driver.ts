// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Random, systemRandom } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo, Cleared } from '../blob-store.ts';
import { beforeAbort } from '../call/interruptible.ts';
import type { ListPage, ReadRequest, ReadResponse, StoreDriver, SweepRequest } from '../store-driver.ts';
import type { Part, PartLimits, Stored } from '../write/part-driver.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { fileError, isAbsence } from './errno.ts';
import { FileFlush } from './file-flush.ts';
import { fileInfo, listFiles, listUploads } from './list-files.ts';
import { RootedPaths, removeIfEmpty, syncDirectory } from './rooted-paths.ts';
import { isUploadFor, mayStartWith, parseUploadName, uploadName } from './upload-name.ts';
import { volumeCalls } from './volume-calls.ts';

/** A directory as a store, such as a mounted volume. */
export interface DirectoryOptions {
  /** Absolute path; it must exist. */
  readonly root: string;
  /** @default 512 KiB */
  readonly partBytes?: number;
  readonly random?: Random;
  /**
   * Throws if changes are no longer allowed; called right before each change. @default none: changes are always allowed
   */
  readonly fence?: (() => void) | undefined;
}

/** A file that is being written under a temporary name. */
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

/** The longest file name that file systems allow. The names of uploads are never longer. */
const maxNameBytes = 255;

/**
 * Objects are files below the root. A file is written under a temporary name, synced (fsync), and renamed; then the
 * directory is synced too, so that a resolved `put` survives a power failure.
 */
export class DirectoryDriver implements StoreDriver<FileUpload> {
  readonly location: string;
  readonly server = 'file:';
  readonly limits: PartLimits;
  readonly #paths: RootedPaths;
  readonly #random: Random;
  readonly #fence: () => void;
  /** Files that are being read. */
  readonly #reading = new Set<FileHandle>();

  constructor(options: DirectoryOptions) {
    this.location = pathToFileURL(options.root).href;
    // Small parts, one at a time. Copying data that is still in the processor's cache, about a megabyte, takes half the
    // time; and two writers of one file only wait for each other.
    const firstPartBytes = options.partBytes ?? mebibyte / 2;
    this.limits = { firstPartBytes, maxParts: 2 ** 31, maxPartBytes: firstPartBytes, partsInFlight: 1 };
    this.#paths = new RootedPaths(options.root);
    this.#random = options.random ?? systemRandom;
    this.#fence = options.fence ?? (() => undefined);
  }

  /** Makes a change if the fence still allows it. Calls are queued, so this may be long after the decision. */
  #change<T>(act: () => Promise<T>): Promise<T> {
    this.#fence();
    return act();
  }

  async clear(key: string, signal: AbortSignal): Promise<Cleared> {
    const on = volumeCalls.until(signal);
    try {
      const { directory, name } = await this.#paths.existing(key, on);
      for (const file of await on(() => readdir(directory))) {
        const upload = parseUploadName(file);
        if (upload && isUploadFor(upload, name))
          await on(() => this.#change(() => rm(join(directory, file), { force: true })));
      }
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
    return 'cleared';
  }

  keyProblem(key: string): string | undefined {
    const isTooLong = key.split('/').some((segment) => Buffer.byteLength(segment) > maxNameBytes);
    return isTooLong ? `has a path component that is longer than ${maxNameBytes} bytes` : undefined;
  }

  async whole(key: string, bytes: Buffer, mark: string, signal: AbortSignal): Promise<Stored> {
    const upload = await this.begin(key, mark, signal);
    try {
      await this.part(upload, { number: 1, offset: 0, bytes, isLast: true }, signal);
      return await this.finish(upload, undefined, signal);
    } catch (error) {
      // The file is removed after an abort, too. The removal then goes on in the background and is not awaited.
      await beforeAbort(this.abort(upload, new AbortController().signal), signal).catch(() => {});
      throw error;
    }
  }

  async begin(key: string, _mark: string, signal: AbortSignal): Promise<FileUpload> {
    const on = volumeCalls.until(signal);
    const { path, directory, name, newDirectories } = await this.#paths.made(key, on);
    const temporary = join(directory, uploadName(name, this.#random.uuid()));
    try {
      const found = await on(() => lstat(path)).catch(unlessAborted(signal));
      if (found && !found.isFile()) {
        throw new BlobError('InvalidPath', `${path} exists and is not a file, so it is not replaced`);
      }
      this.#fence();
      const handle = await this.#paths.create(temporary, on);
      const flush = new FileFlush(inTurn(handle));
      return { temporary, target: path, handle, flush, newDirectories, isClosed: false, isRenamed: false };
    } catch (error) {
      await removeIfEmpty(newDirectories, on).catch(() => {});
      throw error;
    }
  }

  async part({ handle, flush }: FileUpload, { bytes, offset }: Part, signal: AbortSignal): Promise<void> {
    const on = volumeCalls.until(signal);
    for (let written = 0; written < bytes.byteLength; ) {
      const at = written;
      const result = await on(() => this.#change(() => handle.write(bytes, at, bytes.byteLength - at, offset + at)));
      written += result.bytesWritten;
    }
    flush.written(bytes.byteLength);
  }

  async finish(upload: FileUpload, _summary: unknown, signal: AbortSignal): Promise<Stored> {
    const on = volumeCalls.until(signal);
    if (!upload.isClosed) {
      await beforeAbort(upload.flush.finish(), signal);
      await closeUpload(upload, signal);
    }
    if (!upload.isRenamed) await on(() => this.#change(() => rename(upload.temporary, upload.target)));
    upload.isRenamed = true;
    for (const made of upload.newDirectories) await syncDirectory(dirname(made), on);
    await syncDirectory(dirname(upload.target), on);
    const found = await on(() => stat(upload.target, { bigint: true }));
    return { etag: fileInfo('', found).etag, checksum: 'unknown' };
  }

  async abort(upload: FileUpload, signal: AbortSignal): Promise<void> {
    const on = volumeCalls.until(signal);
    if (!upload.isClosed) await closeUpload(upload, signal);
    await on(() => this.#change(() => rm(upload.temporary, { force: true })));
    await removeIfEmpty(upload.newDirectories, on);
  }

  async read(request: ReadRequest, signal: AbortSignal): Promise<ReadResponse> {
    const { key, offset, length = Number.POSITIVE_INFINITY } = request;
    const on = volumeCalls.until(signal);
    const handle = await this.#paths.openToRead(key, on);
    this.#reading.add(handle);
    try {
      const { bytes: size, etag } = fileInfo(key, await on(() => handle.stat({ bigint: true })));
      if (request.etag !== undefined && request.etag !== etag) {
        throw new BlobError('NotFound', `${key} was replaced while it was being read`);
      }
      const range = { start: offset, total: size, isTold: true };
      const bytes = Math.max(0, Math.min(length, size - offset));
      if (bytes > 0) return { range, etag, body: this.#readRange(handle, offset, bytes, signal) };
      await this.#done(handle, signal);
      return { range, etag, body: nothing() };
    } catch (error) {
      await this.#done(handle, signal);
      throw error;
    }
  }

  async #done(handle: FileHandle, signal: AbortSignal): Promise<void> {
    this.#reading.delete(handle);
    await closed(handle, signal);
  }

  /** The bytes of a range; the file is closed at their end, or when the reader stops. */
  async *#readRange(
    handle: FileHandle,
    offset: number,
    bytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const on = volumeCalls.until(signal);
    try {
      for (let done = 0; done < bytes; ) {
        const at = offset + done;
        const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, bytes - done));
        const { bytesRead } = await on(() => handle.read(buffer, 0, buffer.byteLength, at));
        if (bytesRead === 0) return;
        done += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await this.#done(handle, signal);
    }
  }

  async stat(key: string, signal: AbortSignal): Promise<BlobInfo> {
    const on = volumeCalls.until(signal);
    const handle = await this.#paths.openToRead(key, on);
    try {
      return fileInfo(key, await on(() => handle.stat({ bigint: true })));
    } finally {
      await closed(handle, signal);
    }
  }

  /** Not supported: no other client has this file system. */
  async presign(): Promise<undefined> {}

  async page(prefix: string, from: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const on = volumeCalls.until(signal);
    const items: BlobInfo[] = [];
    for await (const item of listFiles({ root: await this.#paths.root(on), on }, prefix, from)) {
      items.push(item);
      if (items.length === pageItems) return { items, next: item.key };
    }
    return { items, next: undefined };
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    const on = volumeCalls.until(signal);
    try {
      const { path, directory } = await this.#paths.existing(key, on);
      const found = await on(() => lstat(path));
      if (found.isSymbolicLink()) {
        throw new BlobError('InvalidPath', `${path} is a symbolic link, which is refused`);
      }
      if (!found.isFile()) return;
      await on(() => this.#change(() => rm(path)));
      await syncDirectory(directory, on);
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  async sweep({ prefix, startedBefore, isOwn }: SweepRequest, signal: AbortSignal): Promise<number> {
    const on = volumeCalls.until(signal);
    const root = await this.#paths.root(on);
    let swept = 0;
    for await (const { directory, name } of listUploads({ root, on }, prefix)) {
      const upload = parseUploadName(name);
      const start = directory === '' ? '' : `${directory}/`;
      const fits =
        upload &&
        (start.startsWith(prefix) || mayStartWith(upload, prefix.slice(start.length))) &&
        // The name of an upload contains only the beginning of a long name. `isOwn` cannot judge that: then the prefix
        // decides.
        (!isUploadFor(upload, upload.beginning) || isOwn(start + upload.beginning));
      const path = join(root, directory, name);
      const found = fits ? await on(() => stat(path)).catch(unlessAborted(signal)) : undefined;
      // The time of the last write counts: an upload that is still written to is not old, whenever it began.
      if (!found || found.mtimeMs >= startedBefore) continue;
      await on(() => this.#change(() => rm(path, { force: true })));
      swept += 1;
    }
    return swept;
  }

  /** Closes also files whose readers stopped without closing them. */
  close(): void {
    for (const handle of this.#reading) void closed(handle, AbortSignal.abort());
  }

  errorOf(thrown: unknown, what: string): BlobError {
    return fileError(thrown, what);
  }
}

/** Closes the file of an upload, even if the caller no longer waits. */
async function closeUpload(upload: FileUpload, signal: AbortSignal): Promise<void> {
  upload.isClosed = true;
  const closing = upload.flush.settled().then(() => volumeCalls.until(undefined)(() => upload.handle.close()));
  await beforeAbort(closing, signal);
}

/** Closes a file without delaying an aborted caller. */
async function closed(handle: FileHandle, signal: AbortSignal): Promise<void> {
  await beforeAbort(
    volumeCalls.until(undefined)(() => handle.close()),
    signal,
  ).catch(() => {});
}

/**
 * The syncs of a file, queued like all calls to volumes. No signal ends them, because they do not belong to a single
 * call.
 */
function inTurn(handle: FileHandle): Pick<FileHandle, 'datasync' | 'sync'> {
  const on = volumeCalls.until(undefined);
  return { datasync: () => on(() => handle.datasync()), sync: () => on(() => handle.sync()) };
}

/** For `catch`: ignores any error, such as that of a missing file, unless the signal is aborted. */
function unlessAborted(signal: AbortSignal): () => undefined {
  return () => {
    signal.throwIfAborted();
    return undefined;
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
