// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:https';
import { channelOptions, identityOfRestore } from './channel.ts';
import { filePlace } from './snapshot-file.ts';
import { SnapshotReceiver, type SnapshotReceiverOptions } from './snapshot-receiver.ts';

export interface ReceiveOptions {
  /** UID of the EtcdRestore. */
  readonly uid: string;
  /** The key from the restore's Secret. */
  readonly key: Uint8Array;
  /** The path of the snapshot. The file appears there only when it is complete and the operator has judged it. */
  readonly file: string;
  readonly port: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Waits for the snapshot, and for the operator to confirm that it is the right one; resolves when the file is there. Only a client with the
 * restore's key gets a connection.
 */
export async function receiveSnapshot({ uid, key, file, port, signal, say }: ReceiveOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = (error?: unknown) => {
      server.close();
      if (error === undefined) resolve();
      else reject(error);
    };
    const server = agentServer({ uid, key, place: filePlace(file), say, onKept: () => end() });
    signal.addEventListener('abort', () => end(signal.reason), { once: true });
    server.on('error', end);
    listen(server, port, say);
  });
}

export interface AgentServerOptions extends SnapshotReceiverOptions, Pick<ReceiveOptions, 'uid' | 'key'> {}

/** A server that waits for the snapshot, and does not listen yet. */
export function agentServer({ uid, key, ...options }: AgentServerOptions): Server {
  const server = createServer({
    ...channelOptions,
    // So the dead connection of an operator whose machine is gone does not block the next operator.
    keepAlive: true,
    keepAliveInitialDelay: 10_000,
    pskCallback: (_socket, identity) => (identity === identityOfRestore(uid) ? key : null),
  });
  const receiver = new SnapshotReceiver(options);
  server.on('tlsClientError', (error) =>
    options.say(`refused a connection, because the client does not have the key of this restore: ${error.message}`),
  );
  server.on('request', (request, response) => receiver.handle(request, response));
  return server;
}

function listen(server: Server, port: number, say: (line: string) => void): void {
  // Data may arrive slowly, and judging may take a while, but a connection without any data for this long is closed.
  server.timeout = 300_000;
  server.keepAliveTimeout = 300_000;
  server.requestTimeout = 0;
  server.listen(port, () => say(`waiting for the snapshot on port ${port}`));
}
