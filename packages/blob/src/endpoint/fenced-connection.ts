// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';

/** What is handed over at once leaves whatever happens to this process meanwhile: no more than a small piece does. */
const pieceBytes = 64 * 1024;

type Done = (error?: Error | null) => void;

/**
 * Has a connection ask `fence` right before bytes leave on it, piece by piece; once it throws, the connection is broken with what it
 * threw, and a request that was under way on it is never complete. A process may be stopped for long while a request waits for a
 * connection, or is half sent.
 *
 * @param established the event after which bytes that are written leave at once
 */
export function fenceConnection(socket: Duplex, established: 'connect' | 'secureConnect', fence: () => void): void {
  const write = socket._write.bind(socket);
  let isOpen = false;
  socket.once(established, () => {
    isOpen = true;
  });
  const send = (chunk: string | Uint8Array, encoding: BufferEncoding, done: Done): void => {
    try {
      fence();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (typeof chunk === 'string' || chunk.byteLength <= pieceBytes) {
      write(chunk, encoding, done);
      return;
    }
    write(chunk.subarray(0, pieceBytes), encoding, (error) => {
      if (error) done(error);
      else send(chunk.subarray(pieceBytes), encoding, done);
    });
  };
  Object.assign(socket, {
    _write: (chunk: string | Uint8Array, encoding: BufferEncoding, done: Done) => {
      if (isOpen) send(chunk, encoding, done);
      else socket.once(established, () => send(chunk, encoding, done));
    },
    // Chunks that wait are not gathered: each passes by itself.
    _writev: null,
  });
}
