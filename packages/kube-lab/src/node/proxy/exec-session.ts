// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { StreamName } from '../../runtime/agent-calls.ts';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import type { ExecOptions, ExecStreams } from '../../server/node-proxy.ts';

const names: readonly StreamName[] = ['stdin', 'stdout', 'stderr'];

/** Runs a command inside a container for a client of the API server. Resolves with its exit code. */
export async function runExec(options: {
  readonly agent: AgentProcess;
  readonly directory: string;
  readonly execId: string;
  readonly container: string;
  readonly request: ExecOptions;
  readonly streams: ExecStreams;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { agent, request, streams, execId, signal } = options;
  const path = join(options.directory, `${execId}.sock`);
  // A terminal has only one output stream.
  const wanted = names.filter((name) => request[name] && !(request.tty && name === 'stderr'));
  const outputs = new Map(wanted.flatMap((name) => (name === 'stdin' ? [] : [[name, Promise.withResolvers<void>()]])));
  const server = await listen(path, (name, socket) => {
    if (name === 'stdin') void feed(streams.stdin, socket);
    else void drain(socket, name === 'stdout' ? streams.stdout : streams.stderr).then(outputs.get(name)?.resolve);
  });
  const kill = () => void agent.call('killExec', { execId }).catch(() => undefined);
  signal.addEventListener('abort', kill, { once: true });
  if (request.tty) void follow(agent, execId, streams);
  try {
    const { container } = options;
    const { command: argv, tty } = request;
    const code = await agent.call('execStream', { execId, container, argv, tty, streams: wanted, path });
    await Promise.all([...outputs.values()].map(({ promise }) => promise));
    return code;
  } finally {
    signal.removeEventListener('abort', kill);
    server.close();
    await rm(path, { force: true });
  }
}

async function listen(path: string, onStream: (name: StreamName, socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      const name = names[first?.[0] ?? -1];
      if (name) onStream(name, socket);
      else socket.destroy();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  return server;
}

async function feed(stdin: AsyncIterable<Uint8Array>, socket: Socket): Promise<void> {
  try {
    for await (const bytes of stdin) {
      if (!socket.writable) return;
      if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
    socket.end();
  } catch {
    socket.destroy();
  }
}

async function drain(socket: Socket, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  try {
    for await (const bytes of socket) await write(new Uint8Array(bytes as Buffer));
  } catch {
    // Nothing to do: the client is gone, and the abort of its request ends the command.
  }
  socket.end();
}

async function follow(agent: AgentProcess, execId: string, { resize }: ExecStreams): Promise<void> {
  try {
    for await (const { width, height } of resize) await agent.call('resizeExec', { execId, width, height });
  } catch {
    // Nothing to do: the command has ended.
  }
}
