// SPDX-License-Identifier: Apache-2.0
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Dialer } from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';
import { RestoreError } from '../restore-error.ts';
import { channelOptions, deliveryPath, deliveryPort, identityOfRestore } from './channel.ts';

export interface Delivery {
  readonly ip: string;
  /** UID of the EtcdRestore, and the key in its Secret. */
  readonly uid: string;
  readonly key: Uint8Array;
  readonly bytes: number;
  /** A piece of it may be overwritten once the next one is asked for. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly dial: Dialer;
  readonly clock: Clock;
  /** How long an agent that does not listen yet is asked again, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

const askAgainAfter = 50;

/**
 * Sends a snapshot to the agent in a new member's pod; resolves once the agent has all of it, and has found it to be what it
 * expects. Memory is bounded by the buffers of the connection. Rejects with a `RestoreError`.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  const socket = await connect(delivery);
  try {
    const response = await send(delivery, socket);
    const text = await bodyOf(response);
    if (response.statusCode === 200) return;
    const code = response.statusCode === 422 ? 'SourceRefused' : 'NotDelivered';
    throw new RestoreError(code, `the new member does not take the snapshot: ${text || response.statusCode}`);
  } finally {
    socket.destroy();
  }
}

/** A container that runs listens a moment later: asking again at once is shorter than a look at the world. */
async function reach({ ip, dial, clock, patience, signal }: Delivery): Promise<Duplex> {
  const end = clock.monotonic() + patience;
  for (;;) {
    try {
      return await dial({ host: ip, port: deliveryPort }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (clock.monotonic() >= end) throw error;
      await clock.sleep(askAgainAfter, signal);
    }
  }
}

async function connect(delivery: Delivery): Promise<TLSSocket> {
  const { ip, uid, key, signal } = delivery;
  try {
    const raw = await reach(delivery);
    const socket = tlsConnect({
      socket: raw,
      ...channelOptions,
      pskCallback: () => ({ psk: key, identity: identityOfRestore(uid) }),
      // The key proves who is there; no name is involved.
      checkServerIdentity: () => undefined,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      signal.addEventListener('abort', () => socket.destroy(new Error('stopped')), { once: true });
    });
    socket.on('error', () => undefined);
    return socket;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RestoreError('NotDelivered', `the new member cannot be reached at ${ip}: ${why}`, { cause: error });
  }
}

async function send(delivery: Delivery, socket: TLSSocket): Promise<IncomingMessage> {
  const { bytes, signal } = delivery;
  const headers = { 'content-length': bytes, 'content-type': 'application/octet-stream' };
  const call = request({ method: 'PUT', path: deliveryPath, headers, createConnection: () => socket, signal });
  // What happens to the connection after the answer is nobody's concern.
  call.on('error', () => undefined);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve);
    call.once('error', reject);
  });
  // An agent that refuses answers before it has read everything: its answer counts, not the broken pipe.
  const sent = sendBody(delivery, call).then(() => answer);
  try {
    return await Promise.race([answer, sent]);
  } catch (error) {
    sent.catch(() => undefined);
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && isOfConnection(error.code))
      throw new RestoreError('NotDelivered', `the connection to the new member broke: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

function isOfConnection(code: string): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'].includes(code);
}

/** Each piece is with the operating system before the next one is asked for. */
async function sendBody({ body, onProgress }: Delivery, call: ClientRequest): Promise<void> {
  let bytes = 0;
  for await (const piece of body) {
    await new Promise<void>((resolve, reject) => {
      call.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    bytes += piece.byteLength;
    onProgress(bytes);
  }
  call.end();
}

/** What the agent says fits a line. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.byteLength;
    if (bytes <= 4096) pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8').trim();
}
