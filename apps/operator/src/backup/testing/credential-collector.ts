// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Listens on loopback and records every byte that it receives. */
export class CredentialCollector implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #heard = '';

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('data', (bytes: Buffer) => {
        this.#heard += bytes.toString('latin1');
      });
      socket.on('error', () => socket.destroy());
    });
  }

  static async open(): Promise<CredentialCollector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CredentialCollector(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get heard(): string {
    return this.#heard;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
