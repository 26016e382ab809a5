// SPDX-License-Identifier: Apache-2.0
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A small test server on a free port of loopback. */
export interface LocalServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Connections accepted so far. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function startServer(listener: RequestListener, tls?: ServerOptions): Promise<LocalServer> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on(tls ? 'secureConnection' : 'connection', () => connections++);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    server,
    get connections() {
      return connections;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
