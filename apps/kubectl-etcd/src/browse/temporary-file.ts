// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';

/**
 * A temporary file in TMPDIR. It is unlinked after opening: no other process can open it, and it is removed however the
 * command ends.
 */
export class TemporaryFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(): Promise<TemporaryFile> {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-etcd-'));
    try {
      return new TemporaryFile(await open(join(folder, 'data'), 'wx+', 0o600));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Resolves with the offset of the written data. */
  async append(bytes: Uint8Array): Promise<number> {
    const offset = this.#bytes;
    for (let done = 0; done < bytes.byteLength; ) done += await this.#write(bytes.subarray(done), offset + done);
    this.#bytes += bytes.byteLength;
    return offset;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#bytes - offset)));
    for (let done = 0; done < bytes.byteLength; ) {
      const { bytesRead } = await this.#handle.read(bytes, done, bytes.byteLength - done, offset + done);
      if (bytesRead === 0) throw new CliError('Failed', 'the temporary copy of the backup is incomplete');
      done += bytesRead;
    }
    return bytes;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }

  async #write(bytes: Uint8Array, offset: number): Promise<number> {
    try {
      return (await this.#handle.write(bytes, 0, bytes.byteLength, offset)).bytesWritten;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const message = `the backup cannot be copied to ${tmpdir()}: ${why}. Set TMPDIR to a folder with more free space`;
      throw new CliError('Failed', message, { cause: error });
    }
  }
}
