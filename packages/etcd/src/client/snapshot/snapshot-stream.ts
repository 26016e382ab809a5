// SPDX-License-Identifier: Apache-2.0
import { EtcdError } from '../etcd-error.ts';
import { answerChunks, malformed } from '../grpc/call.ts';
import type { DedicatedConnection } from '../grpc/channel.ts';
import type { Invoker } from '../invoker.ts';
import { SnapshotDecoder } from './snapshot-decoder.ts';
import { inBlocks } from './stream-blocks.ts';

/** How a snapshot is read. */
export interface SnapshotOptions {
  /** The timeout of each wait for the member. @default 60_000 */
  readonly idleTimeoutMs?: number;
  /**
   * True: a piece is overwritten when the next is requested, which saves memory if the caller uses each piece at once.
   * @default false
   */
  readonly reuse?: boolean;
  readonly signal?: AbortSignal;
}

const method = { name: 'Maintenance/Snapshot', mutating: false };

/** Bytes that a member may send ahead: enough for a fast link, little enough for memory. */
const windowBytes = 4 * 1024 * 1024;

/**
 * Streams a snapshot over a separate connection, so that gigabytes neither delay health checks nor are slowed by a
 * small window. Messages are never assembled; the result is blocks of the database.
 */
export async function* snapshotStream(
  invoker: Invoker,
  options: SnapshotOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const call = invoker.kindOf(method);
  const token = await invoker.token(options);
  const { channel } = invoker.context;
  let apart: DedicatedConnection | undefined;
  const decoder = new SnapshotDecoder();
  const decode = (piece: Uint8Array) => {
    try {
      decoder.push(piece);
    } catch (error) {
      throw malformed(call, error);
    }
    return decoder.take();
  };
  const chunks = answerChunks(invoker.context, call, new Uint8Array(0), {
    timeoutMs: options.idleTimeoutMs ?? 60_000,
    signal: options.signal,
    token,
    halfClose: true,
    isIdleTimeout: true,
    acquire: async (signal) => {
      apart = await channel.acquireApart(windowBytes, signal);
      return apart.connection;
    },
    read: (stream, heard) => {
      if (!apart) throw new Error('an answer is read before there is a connection');
      return inBlocks(stream, { source: apart.content, heard, decode, reuse: options.reuse ?? false });
    },
  });
  try {
    yield* chunks;
  } finally {
    apart?.connection.destroy();
  }
  if (!decoder.complete) {
    throw new EtcdError('BadResponse', `the snapshot is incomplete: ${decoder.remaining} bytes are missing`, { call });
  }
}
