// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy between a client and a member that cuts every connection after a given number of bytes of the member's response, like a network
 * failure just before the end.
 */
export class CuttingProxy implements AsyncDisposable {
  /** How many bytes pass before the cut; undefined: all. */
  cutAfter: number | undefined;
  /** How many connections have been cut. */
  cuts = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(memberPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(memberPort, '127.0.0.1')));
  }

  static async start(memberPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(memberPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #join(client: Socket, member: Socket): void {
    let passed = 0;
    const end = () => {
      client.destroy();
      member.destroy();
    };
    for (const socket of [client, member]) {
      this.#open.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#open.delete(socket);
        end();
      });
    }
    client.pipe(member);
    member.on('data', (chunk) => {
      passed += chunk.byteLength;
      if (this.cutAfter !== undefined && passed > this.cutAfter) {
        this.cuts += 1;
        end();
      } else if (!client.write(chunk)) {
        member.pause();
        client.once('drain', () => member.resume());
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
