// SPDX-License-Identifier: Apache-2.0
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback that a test can cut, freeze and close: the network between a client and a server. */
export class CuttableProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** New connections are refused. */
  refusing = false;

  private constructor(target: number) {
    this.#server = createServer((inbound) => {
      if (this.refusing) {
        inbound.destroy();
        return;
      }
      const outbound = connect({ host: '127.0.0.1', port: target });
      this.#link(inbound, outbound);
      this.#link(outbound, inbound);
    });
  }

  static async to(target: number): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks every open connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing gets through on open connections any more, and nobody is told; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('data').pause();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #link(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
