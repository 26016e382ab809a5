// SPDX-License-Identifier: Apache-2.0
import type { FileHandle } from 'node:fs/promises';
import type { CopyFile } from './local-copy.ts';

/** Bytes on the operator's disk, appended in order and read at any offset, until the file is closed. */
export type ScratchFile = CopyFile & AsyncDisposable;

/** @param handle of an empty file; it is closed with the file */
export function scratchFile(handle: FileHandle, onClose: () => void): ScratchFile {
  let end = 0;
  return {
    append: async (bytes) => {
      const offset = end;
      end += bytes.byteLength;
      for (let done = 0; done < bytes.byteLength; )
        done += (await handle.write(bytes, done, bytes.byteLength - done, offset + done)).bytesWritten;
      return offset;
    },
    read: async (offset, length) => {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, end - offset)));
      for (let done = 0; done < bytes.byteLength; ) {
        const { bytesRead } = await handle.read(bytes, done, bytes.byteLength - done, offset + done);
        if (bytesRead === 0) throw new Error('the local copy of the backup is incomplete');
        done += bytesRead;
      }
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      onClose();
      await handle.close();
    },
  };
}
