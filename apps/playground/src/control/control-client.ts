// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Entry } from './registry.ts';
import type { Reply, Request } from './request.ts';

/** Sends a request to a playground and prints the answer. Resolves with true if it succeeded. */
export async function ask(entry: Entry, request: Request, show: (line: string) => void): Promise<boolean> {
  const socket = connect(entry.socket);
  await once(socket, 'connect');
  socket.write(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface({ input: socket })) {
    const reply = JSON.parse(line) as Reply;
    if ('ok' in reply) return reply.ok;
    show(reply.line);
  }
  return false;
}
