// SPDX-License-Identifier: Apache-2.0
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Dialer } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { RestoreError } from '../restore-error.ts';
import { channelOptions, deliveryPort, identityOfRestore } from './channel.ts';
import type { Measured } from './measure.ts';
import { type FetchOrder, type KeepOrder, linesOf, readFetchLine, readMeasured, requests, textOf } from './protocol.ts';

/** The agent in a new member's pod, and how to reach it. */
export interface AgentAddress {
  readonly ip: string;
  /** UID of the EtcdRestore, and the key in its Secret. */
  readonly uid: string;
  readonly key: Uint8Array;
  readonly dial: Dialer;
  readonly clock: Clock;
  /** Throws if nothing more may be sent. Called right before each request and each piece. @default never throws */
  readonly fence?: () => void;
  /** How long to retry the connection to an agent that does not listen yet, in milliseconds. */
  readonly patience: number;
}

const askAgainAfter = 20;
/** How long one attempt to connect may take at least, in milliseconds. */
const dialPatience = 10_000;

/**
 * A connection to the agent. When the connection closes, the agent drops the data that came over it, unless `keep` was called. Calls reject
 * with a `RestoreError`.
 */
export class AgentConnection {
  readonly #socket: TLSSocket;
  readonly #connection: HttpAgent;
  readonly #signal: AbortSignal;
  readonly #fence: () => void;

  private constructor(socket: TLSSocket, signal: AbortSignal, fence: () => void = () => undefined) {
    this.#fence = fence;
    this.#socket = socket;
    this.#connection = new OneConnection(socket);
    this.#signal = signal;
  }

  static async connect(agent: AgentAddress, signal: AbortSignal): Promise<AgentConnection> {
    return new AgentConnection(await connect(agent, signal), signal, agent.fence);
  }

  /** Sends the snapshot, and returns what the agent measured. Only as much is read ahead as the buffers of the connection hold. */
  async send(
    bytes: number | undefined,
    body: AsyncIterable<Uint8Array>,
    onProgress: (bytes: number) => void,
  ): Promise<Measured> {
    const length = bytes !== undefined && { 'content-length': bytes };
    const call = this.#call('snapshot', { ...length, 'content-type': 'application/octet-stream' });
    const answer = answerTo(call);
    // An agent that refuses the data answers before it has read all of it. Then the result is the agent's answer, and not the error of the
    // broken connection.
    const sent = sendBody(this.#fenced(body), call, onProgress).then(() => answer);
    sent.catch(() => undefined);
    const text = await ofConnection(Promise.race([answer, sent]).then(textOfSuccess));
    const measured = readMeasured(text);
    if (!measured)
      throw new RestoreError(
        'NotDelivered',
        "the restore agent in the new member's pod did not report the result of the transfer",
      );
    return measured;
  }

  /** Has the agent read the snapshot from the store itself. Resolves with undefined if the agent cannot do this. */
  async fetch(order: FetchOrder, onProgress: (bytes: number) => void): Promise<Measured | undefined> {
    const call = this.#call('fetch', { 'content-type': 'application/json' });
    const answer = answerTo(call);
    call.end(JSON.stringify(order));
    return ofConnection(answer.then((response) => outcomeOf(response, onProgress)));
  }

  /** Has the agent give the received data its final name. The agent then ends. */
  async keep(order: KeepOrder): Promise<void> {
    const call = this.#call('keep', { 'content-type': 'application/json' });
    const answer = answerTo(call);
    call.end(JSON.stringify(order));
    await ofConnection(answer.then(textOfSuccess));
  }

  /** Checks the fence before each piece is sent, because the wait for the piece may have been long. */
  async *#fenced(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      this.#fence();
      yield piece;
    }
  }

  close(): void {
    this.#connection.destroy();
    this.#socket.destroy();
  }

  #call(what: keyof typeof requests, headers: Readonly<Record<string, string | number>>): ClientRequest {
    // A connection that is already closed emits no further event: waiting for its end would never finish.
    if (this.#socket.destroyed) throw new RestoreError('NotDelivered', 'the connection to the new member was lost');
    this.#fence();
    return request({ ...requests[what], headers, agent: this.#connection, signal: this.#signal });
  }
}

/** Sends requests one after the other on the existing connection; it never opens another one. */
class OneConnection extends HttpAgent {
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(): Duplex {
    return this.#socket;
  }
}

async function connect(agent: AgentAddress, signal: AbortSignal): Promise<TLSSocket> {
  const { ip, uid, key } = agent;
  try {
    const raw = await reach(agent, signal);
    const socket = tlsConnect({
      socket: raw,
      ...channelOptions,
      pskCallback: () => ({ psk: key, identity: identityOfRestore(uid) }),
      // The pre-shared key proves the identity of the agent; no host name is checked.
      checkServerIdentity: () => undefined,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed before it was established')));
      signal.addEventListener('abort', () => socket.destroy(new Error('stopped')), { once: true });
    });
    socket.on('error', () => undefined);
    return socket;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RestoreError('NotDelivered', `the new member cannot be reached at ${ip}: ${why}`, { cause: error });
  }
}

/**
 * Connects to the agent, and tries again while the agent does not listen yet: this is faster than waiting for the next reconciliation. All
 * attempts together have a time limit, because a single attempt could take minutes if packets are lost.
 */
async function reach(agent: AgentAddress, signal: AbortSignal): Promise<Duplex> {
  const { clock, patience } = agent;
  const longest = Math.max(patience, dialPatience);
  const limit = new AbortController();
  const timer = clock.schedule(longest, () => limit.abort(new Error(`no connection within ${longest} ms`)));
  try {
    return await dialAgain(agent, AbortSignal.any([signal, limit.signal]));
  } finally {
    timer.cancel();
  }
}

async function dialAgain({ ip, dial, clock, patience }: AgentAddress, signal: AbortSignal): Promise<Duplex> {
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

function answerTo(call: ClientRequest): Promise<IncomingMessage> {
  // Errors of the connection after the response are ignored.
  call.on('error', () => undefined);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve);
    call.once('error', reject);
  });
  answer.catch(() => undefined);
  return answer;
}

async function outcomeOf(
  response: IncomingMessage,
  onProgress: (bytes: number) => void,
): Promise<Measured | undefined> {
  if (response.statusCode !== 200) await textOfSuccess(response);
  let outcome: Measured | undefined;
  let isOver = false;
  for await (const text of linesOf(response)) {
    const line = readFetchLine(text);
    if (line && 'received' in line) onProgress(line.received);
    else isOver = true;
    if (line && 'measured' in line) outcome = line.measured;
  }
  if (!isOver)
    throw new RestoreError(
      'NotDelivered',
      "the restore agent in the new member's pod did not report the result of the transfer",
    );
  return outcome;
}

async function textOfSuccess(response: IncomingMessage): Promise<string> {
  const text = await textOf(response);
  if (response.statusCode === 200) return text;
  throw new RestoreError(
    'NotDelivered',
    `the restore agent in the new member's pod refused the snapshot: ${text.slice(0, 500) || response.statusCode}`,
  );
}

async function ofConnection<T>(exchange: Promise<T>): Promise<T> {
  try {
    return await exchange;
  } catch (error) {
    if (error instanceof Error && 'code' in error && connectionCodes.includes(String(error.code)))
      throw new RestoreError('NotDelivered', `the connection to the new member was lost: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

const connectionCodes = ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED'];

/** Requests the next piece only after the operating system has taken the previous piece. */
async function sendBody(
  body: AsyncIterable<Uint8Array>,
  call: ClientRequest,
  onProgress: (bytes: number) => void,
): Promise<void> {
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
