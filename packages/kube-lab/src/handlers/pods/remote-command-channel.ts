// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, type MessageChannel, statusOfExit, streamMessage, streams } from '@operator-parts/kube';
import { AsyncPipe } from '../../server/async-pipe.ts';
import type { ExecOptions, ExecStreams, NodeProxy } from '../../server/node-proxy.ts';

export interface CommandChannel {
  readonly node: NodeProxy;
  readonly pod: KubeObject;
  readonly options: ExecOptions;
  readonly channel: MessageChannel;
  readonly signal: AbortSignal;
  readonly subresource: 'exec' | 'attach';
}

/** Runs a command in a container with its streams multiplexed over a channel, and reports at the end how it exited. */
export async function serveCommand({
  node,
  pod,
  options,
  channel,
  signal,
  subresource,
}: CommandChannel): Promise<void> {
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  const input = new AsyncPipe<Uint8Array>();
  const sizes = new AsyncPipe<{ readonly width: number; readonly height: number }>();
  const reading = readInput(channel, input, sizes).finally(() => gone.abort(new Error('the client has left')));
  const send = (stream: number) => (bytes: Uint8Array) => channel.send(streamMessage(stream, bytes));
  const sides: ExecStreams = {
    stdin: input,
    resize: sizes,
    stdout: send(streams.stdout),
    stderr: send(options.tty ? streams.stdout : streams.stderr),
  };
  if (!options.stdin) input.end();
  const status = await runCommand(() => node[subresource](pod, options, sides, ended));
  if (!ended.aborted) {
    await channel.send(streamMessage(streams.error, Buffer.from(JSON.stringify(status))));
  }
  channel.close();
  await reading.catch(() => undefined);
}

async function runCommand(run: () => Promise<number>): Promise<object> {
  try {
    return statusOfExit(await run());
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      metadata: {},
      status: 'Failure',
      message,
      reason: 'InternalError',
      details: { causes: [{ message }] },
      code: 500,
    };
  }
}

async function readInput(
  channel: MessageChannel,
  input: AsyncPipe<Uint8Array>,
  sizes: AsyncPipe<{ readonly width: number; readonly height: number }>,
): Promise<void> {
  try {
    for await (const message of channel.messages) {
      const payload = message.subarray(1);
      if (message[0] === streams.stdin && payload.length > 0) await input.push(payload);
      else if (message[0] === streams.close && payload[0] === streams.stdin) input.end();
      else if (message[0] === streams.resize) await sizes.push(readSize(payload));
    }
  } finally {
    input.end();
    sizes.end();
  }
}

function readSize(payload: Uint8Array): { readonly width: number; readonly height: number } {
  const { Width = 80, Height = 24 } = JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, number>;
  return { width: Width, height: Height };
}
