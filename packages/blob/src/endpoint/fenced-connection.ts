// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';

/** How many bytes are sent between two calls of the fence. */
const pieceBytes = 64 * 1024;

type Done = (error?: Error | null) => void;

/**
 * Calls `fence` on a connection right before bytes are sent, piece by piece. Once `fence` throws, the connection is
 * closed with that error, and a request in progress is never completed. This is necessary because a process may be
 * suspended for long while a request waits for a connection, or is half sent.
 *
 * @param established the event after which written bytes are sent at once
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
    // Waiting chunks are not combined: each is checked separately.
    _writev: null,
  });
}
