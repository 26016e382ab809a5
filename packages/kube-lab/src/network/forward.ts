// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A port of the lab that is reachable on the host's loopback. */
export interface Forward extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a port on loopback; every connection to it is forwarded to one that `dial` opens. */
export async function openForward(dial: () => Promise<Socket>, port = 0): Promise<Forward> {
  const host = '127.0.0.1';
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (incoming) => {
    open.add(incoming);
    incoming.on('close', () => open.delete(incoming));
    incoming.on('error', () => incoming.destroy());
    dial().then(
      (outgoing) => join(incoming, outgoing),
      () => incoming.resetAndDestroy(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  return { host, port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

function join(incoming: Socket, outgoing: Socket): void {
  outgoing.on('error', () => incoming.resetAndDestroy());
  outgoing.on('close', () => incoming.destroy());
  incoming.on('close', () => outgoing.destroy());
  if (incoming.destroyed) outgoing.destroy();
  incoming.pipe(outgoing);
  outgoing.pipe(incoming);
}
