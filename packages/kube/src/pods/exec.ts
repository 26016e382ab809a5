// SPDX-License-Identifier: Apache-2.0
import { KubeError, type Status } from '../kube-error.ts';
import type { ObjectKey } from '../object.ts';
import { statusError } from '../transport/response-error.ts';
import type { MessageChannel, Transport } from '../transport/transport.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { asCaller, CallerError, untilEnded } from './caller-error.ts';
import { podPath } from './pod-path.ts';
import { closeMessage, exitCodeOf, remoteCommandProtocols, streamMessage, streams } from './remote-command.ts';

/**
 * Receives a command's output. While the promise that it returned is pending, nothing more is read: the command has to
 * wait.
 */
export type OutputSink = (bytes: Uint8Array) => void | Promise<void>;

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface StreamOptions {
  readonly container?: string;
  /**
   * Sent to the command as fast as it reads. The command sees the end of the input if the server supports v5 of the
   * protocol.
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly stdout?: OutputSink;
  /** With `tty`, all output is in `stdout`. */
  readonly stderr?: OutputSink;
  readonly tty?: boolean;
  /** New sizes of the terminal, with `tty`. */
  readonly resize?: AsyncIterable<TerminalSize>;
  readonly signal?: AbortSignal;
}

export interface ExecOptions extends StreamOptions {
  /** The program and its arguments, without a shell. */
  readonly command: readonly string[];
}

/**
 * Runs a command in a container and resolves with its exit code. Fails with a `KubeError` if the command could not be
 * run, or if the connection was lost before the server reported the exit. An error of a sink or of the input is thrown
 * unchanged.
 */
export async function exec(transport: Transport, pod: ObjectKey, options: ExecOptions): Promise<number> {
  return run(transport, pod, 'exec', options, options.command);
}

/** Attaches to the running process of a container; resolves with its exit code when it ends. */
export async function attach(transport: Transport, pod: ObjectKey, options: StreamOptions): Promise<number> {
  return run(transport, pod, 'attach', options, []);
}

async function run(
  transport: Transport,
  pod: ObjectKey,
  subresource: 'exec' | 'attach',
  options: StreamOptions,
  command: readonly string[],
): Promise<number> {
  const query = new URLSearchParams();
  for (const argument of command) query.append('command', argument);
  if (options.container) query.append('container', options.container);
  if (options.stdin) query.append('stdin', 'true');
  if (options.stdout) query.append('stdout', 'true');
  if (options.stderr && !options.tty) query.append('stderr', 'true');
  if (options.tty) query.append('tty', 'true');
  const request = { method: 'GET', path: `${podPath(pod, subresource)}?${query}` };
  const { signal } = options;
  try {
    const channel = await transport.connect({
      path: request.path,
      protocols: remoteCommandProtocols,
      ...(signal ? { signal } : {}),
    });
    return await converse(channel, options, request);
  } catch (error) {
    if (error instanceof CallerError) throw error.thrown;
    throw transportError(error, request, signal);
  }
}

interface Request {
  readonly method: string;
  readonly path: string;
}

async function converse(channel: MessageChannel, options: StreamOptions, request: Request): Promise<number> {
  const ended = new AbortController();
  const sending = Promise.all([
    sendInput(channel, options.stdin, ended.signal),
    sendSizes(channel, options.resize, ended.signal),
  ]);
  // Only an error of the caller is kept. After any other failure to send, the reader finds the channel closed and
  // reports that with a better message.
  let failure: CallerError | undefined;
  sending.catch((error: unknown) => {
    if (error instanceof CallerError) failure = error;
    channel.close();
  });
  try {
    const status = await readOutput(channel, options, request);
    const exitCode = exitCodeOf(status);
    if (exitCode !== undefined) return exitCode;
    throw statusError(status, request);
  } catch (error) {
    throw failure ?? error;
  } finally {
    ended.abort();
    channel.close();
  }
}

/** Passes output to the sinks until the server reports how the command ended. */
async function readOutput(channel: MessageChannel, options: StreamOptions, request: Request): Promise<Status> {
  for await (const message of channel.messages) {
    const payload = message.subarray(1);
    if (message[0] === streams.error && payload.length > 0) return parseStatus(payload, request);
    if (payload.length === 0) continue;
    if (message[0] === streams.stdout) await asCaller(() => options.stdout?.(payload));
    else if (message[0] === streams.stderr) await asCaller(() => options.stderr?.(payload));
  }
  throw new KubeError('ConnectionLost', `${describe(request)}: the channel ended before the command did`, { request });
}

function parseStatus(payload: Uint8Array, request: Request): Status {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8')) as Status;
  } catch (cause) {
    const message = `${describe(request)}: the error stream contains something other than a Status`;
    throw new KubeError('BadResponse', message, { request, cause });
  }
}

async function sendInput(
  channel: MessageChannel,
  input: AsyncIterable<Uint8Array> | undefined,
  ended: AbortSignal,
): Promise<void> {
  if (!input) return;
  for await (const bytes of untilEnded(input, ended)) {
    await channel.send(streamMessage(streams.stdin, bytes));
  }
  if (!ended.aborted && channel.protocol === 'v5.channel.k8s.io') await channel.send(closeMessage(streams.stdin));
}

async function sendSizes(
  channel: MessageChannel,
  sizes: AsyncIterable<TerminalSize> | undefined,
  ended: AbortSignal,
): Promise<void> {
  if (!sizes) return;
  for await (const { columns, rows } of untilEnded(sizes, ended)) {
    const body = Buffer.from(JSON.stringify({ Width: columns, Height: rows }));
    await channel.send(streamMessage(streams.resize, body));
  }
}
