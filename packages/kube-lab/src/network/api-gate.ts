// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Accepts connections of pods to the API server. */
export interface ApiGate {
  /** The unix socket for connections of pods. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Opens a unix socket, which unlike TCP crosses network namespaces, and forwards its connections to the API server's
 * port.
 */
export async function openApiGate(
  path: string,
  target: { readonly host: string; readonly port: number },
): Promise<ApiGate> {
  const open = new Set<{ destroy(): unknown }>();
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const outgoing = connect({ ...target, allowHalfOpen: true, noDelay: true });
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    path,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
