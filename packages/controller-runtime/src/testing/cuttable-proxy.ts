// SPDX-License-Identifier: Apache-2.0
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '@operator-parts/ports';

/** A TCP proxy on loopback that a test can disconnect, freeze and close: the network between a client and a server. */
export class CuttableProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** New connections are refused. */
  refusing = false;
  /** A slow link: the pause after each piece of up to 64 KiB in one direction, in milliseconds. */
  pause = 0;
  /** A distant or busy server: the delay of its answers, in milliseconds, also on connections that are opened again. */
  delay = 0;

  private constructor(target: number) {
    this.#server = createServer((inbound) => {
      if (this.refusing) {
        inbound.destroy();
        return;
      }
      const outbound = connect({ host: '127.0.0.1', port: target });
      this.#link(inbound, outbound, (bytes) => outbound.write(bytes));
      this.#link(outbound, inbound, this.#late(inbound));
    });
  }

  static async to(target: number, at: { readonly host?: string; readonly port?: number } = {}): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen({ host: '127.0.0.1', port: 0, ...at }, resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many are open. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Breaks every open connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Open connections transfer nothing any more, without an error; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('data').pause();
  }

  /** Holds back every byte of open connections until `release`; new ones work. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  release(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #late(to: Socket): (bytes: Buffer) => void {
    const waiting: Buffer[] = [];
    const next = () => void to.write(waiting.shift() ?? '');
    return (bytes) => {
      waiting.push(bytes);
      if (this.delay === 0 && waiting.length === 1) next();
      else systemClock.schedule(this.delay, next, { background: true });
    };
  }

  #link(from: Socket, to: Socket, pass: (bytes: Buffer) => void): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => {
      pass(bytes);
      if (this.pause === 0) return;
      from.pause();
      systemClock.schedule(this.pause, () => from.resume(), { background: true });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
