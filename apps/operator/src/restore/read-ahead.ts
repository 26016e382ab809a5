// SPDX-License-Identifier: Apache-2.0
import { open } from 'node:fs/promises';

const pieceBytes = 1024 * 1024;

/**
 * Reads a file to its end in large pieces. The next piece is read while the present one is used. Only two pieces are in memory, however
 * long the file is: a piece is overwritten once the next piece is requested. The file is open only while it is read.
 */
export async function* readAhead(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file);
  let [current, spare] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
  let underWay = handle.read(current);
  try {
    for (;;) {
      const { bytesRead } = await underWay;
      if (bytesRead === 0) return;
      const piece = current.subarray(0, bytesRead);
      [current, spare] = [spare, current];
      underWay = handle.read(current);
      // The error is thrown when this piece is requested.
      underWay.catch(() => undefined);
      yield piece;
    }
  } finally {
    await underWay.catch(() => undefined);
    await handle.close();
  }
}
