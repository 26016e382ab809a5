// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Reply, Request } from './request.ts';

export interface ControlServerOptions {
  /** Path of the socket; only the user may access its folder. */
  readonly path: string;
  /**
   * Answers one request line by line; a failure is reported to the client. The signal is aborted when the client
   * disconnects.
   */
  readonly answer: (request: Request, say: (line: string) => void, signal: AbortSignal) => Promise<void>;
}

/** More than any file that is applied here. */
const longestRequest = 4 * 1024 * 1024;

/** Accepts commands from other terminals of the same user. */
export async function startControlServer({ path, answer }: ControlServerOptions): Promise<() => Promise<void>> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    void serve(socket, answer);
  });
  server.listen(path);
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
}

async function serve(socket: Socket, answer: ControlServerOptions['answer']): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort(new Error('the terminal that sent this command was closed')));
  const say = (reply: Reply) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
  };
  try {
    const request = JSON.parse(await firstLine(socket)) as Request;
    await answer(request, (line) => say({ line }), gone.signal);
    say({ ok: true });
  } catch (error) {
    if (!gone.signal.aborted) say({ line: error instanceof Error ? error.message : String(error) });
    say({ ok: false });
  }
  socket.end();
}

async function firstLine(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    const take = (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > longestRequest) reject(new Error('the request is too long'));
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error('the terminal that sent this command was closed')));
  });
}
