// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Lab } from '@operator-parts/kube-lab';

/**
 * Lets another process connect to pods of a lab, which are in separate network namespaces: the process connects to this loopback port and
 * writes `host port` and a line feed.
 */
export class MemberRelay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(lab: Lab): Promise<MemberRelay> {
    const server = createServer((socket) => {
      socket.once('data', (data: Buffer) => {
        socket.pause();
        connectTo(lab, socket, data).catch(() => socket.destroy());
      });
      socket.on('error', () => socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return new MemberRelay(server, typeof address === 'object' && address ? address.port : 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function connectTo(lab: Lab, socket: Socket, data: Buffer): Promise<void> {
  const end = data.indexOf('\n');
  const [host = '', port = ''] = data.subarray(0, end).toString().split(' ');
  const member = await lab.dial(host, Number(port));
  member.on('error', () => socket.destroy());
  member.on('close', () => socket.destroy());
  socket.on('close', () => member.destroy());
  member.write(data.subarray(end + 1));
  socket.pipe(member);
  member.pipe(socket);
}
