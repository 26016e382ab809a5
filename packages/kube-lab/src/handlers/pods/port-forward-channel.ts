// SPDX-License-Identifier: Apache-2.0
import {
  type KubeObject,
  type MessageChannel,
  portForwardHeaders,
  SpdyConnection,
  type SpdyStream,
} from '@operator-parts/kube';
import type { ByteChannel, NodeProxy } from '../../server/node-proxy.ts';

/** The two streams of one forwarded connection, which arrive one after the other. */
interface HalfOpen {
  data?: SpdyStream;
  error?: SpdyStream;
}

/** Forwards connections to ports of a pod: SPDY/3.1 in a channel, a pair of streams per connection. */
export async function serveForwards(
  node: NodeProxy,
  pod: KubeObject,
  channel: MessageChannel,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new Map<string, HalfOpen>();
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  const onStream = (stream: SpdyStream) => {
    const id = stream.headers[portForwardHeaders.requestId] ?? '';
    const pair = waiting.get(id) ?? {};
    waiting.set(id, pair);
    if (stream.headers[portForwardHeaders.streamType] === 'error') pair.error = stream;
    else pair.data = stream;
    const { data, error } = pair;
    if (!data || !error) return;
    waiting.delete(id);
    forward(node, pod, data, error, ended).catch(() => undefined);
  };
  const connection = new SpdyConnection({ link: channel, role: 'server', onStream });
  const close = () => channel.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await connection.run();
  } finally {
    signal.removeEventListener('abort', close);
    gone.abort(new Error('the client has left'));
  }
}

async function forward(
  node: NodeProxy,
  pod: KubeObject,
  data: SpdyStream,
  error: SpdyStream,
  signal: AbortSignal,
): Promise<void> {
  const port = Number(data.headers[portForwardHeaders.port]);
  let target: ByteChannel;
  try {
    target = await node.dial(pod, port, signal);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const { name, namespace } = pod.metadata ?? {};
    await error.write(Buffer.from(`error forwarding port ${port} to pod ${namespace}/${name}: ${why}`));
    await error.end();
    await data.reset();
    return;
  }
  const up = copyUp(data, target);
  try {
    for await (const bytes of target.incoming) await data.write(bytes);
    await data.end();
  } finally {
    await error.end().catch(() => undefined);
    target.destroy();
  }
  await up;
}

async function copyUp(data: SpdyStream, target: ByteChannel): Promise<void> {
  try {
    for await (const bytes of data.incoming) await target.write(bytes);
    target.end();
  } catch {
    // The client closed the connection: close the connection to the pod, too.
    target.destroy();
  }
}
