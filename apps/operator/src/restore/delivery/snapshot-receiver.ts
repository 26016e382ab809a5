// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FetchError, fetchSnapshot } from './fetch.ts';
import type { Measured } from './measure.ts';
import { type FetchLine, type FetchOrder, readFetchOrder, readKeepOrder, requests, textOf } from './protocol.ts';
import type { SnapshotPlace } from './snapshot-file.ts';

export interface SnapshotReceiverOptions {
  readonly place: SnapshotPlace;
  readonly say: (line: string) => void;
  /** Called when the snapshot has its final name and the sender has the response. */
  readonly onKept: () => void;
}

/** The current sender. Its data is dropped when its connection closes, unless it has asked to keep the data. */
interface Sender {
  readonly socket: Socket;
  readonly gone: AbortController;
  /** The request that is being handled for this sender. The next request begins only afterwards. */
  work: Promise<void> | undefined;
  measured: Measured | undefined;
}

type Work = (sender: Sender, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The agent reports progress after this many bytes, so that the connection is never idle for long, even if the store is slow. */
const tellEvery = 4 * 1024 * 1024;

/** The agent's side of the channel: one sender at a time. A sender that fails leaves no data behind. */
export class SnapshotReceiver {
  readonly #options: SnapshotReceiverOptions;
  #sender: Sender | undefined;

  constructor(options: SnapshotReceiverOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const work = this.#workFor(request);
    if (work) this.#begin(work, request, response);
    else answer(response, 404, 'not found');
  }

  #workFor({ method, url }: IncomingMessage): Work | undefined {
    const isFor = (one: { readonly method: string; readonly path: string }) =>
      method === one.method && url === one.path;
    if (isFor(requests.snapshot)) return (...all) => this.#take(...all);
    if (isFor(requests.fetch)) return (...all) => this.#fetch(...all);
    return isFor(requests.keep) ? (...all) => this.#keep(...all) : undefined;
  }

  #begin(work: Work, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#sender ??= this.#welcome(socket);
    const sender = this.#sender;
    if (sender.socket !== socket || sender.work) {
      answer(response, 409, 'another snapshot is being received', true);
      return;
    }
    sender.work = work(sender, request, response)
      .catch((error: unknown) => answer(response, 500, error instanceof Error ? error.message : String(error)))
      .finally(() => {
        sender.work = undefined;
      });
  }

  #welcome(socket: Socket): Sender {
    const sender: Sender = { socket, gone: new AbortController(), work: undefined, measured: undefined };
    socket.once('close', () => {
      sender.gone.abort(new Error('the operator closed the connection'));
      void this.#leave(sender);
    });
    return sender;
  }

  /** Drops the data of a sender whose connection has closed. Only then may another connection send. */
  async #leave(sender: Sender): Promise<void> {
    await sender.work;
    await this.#options.place.drop().catch(() => undefined);
    this.#sender = undefined;
  }

  async #take(sender: Sender, request: IncomingMessage, response: ServerResponse): Promise<void> {
    sender.measured = undefined;
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const bytes = encoding === 'chunked' ? undefined : Number(length ?? Number.NaN);
    if (bytes !== undefined && !Number.isSafeInteger(bytes))
      return answer(response, 411, 'the snapshot needs a Content-Length header', true);
    sender.measured = await this.#options.place.write(request, { bytes });
    answer(response, 200, JSON.stringify(sender.measured));
  }

  async #fetch(sender: Sender, request: IncomingMessage, response: ServerResponse): Promise<void> {
    sender.measured = undefined;
    const order = readFetchOrder(await textOf(request));
    if (!order) return answer(response, 400, 'the request does not describe a snapshot to fetch', true);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const tell = (line: FetchLine) => void response.write(`${JSON.stringify(line)}\n`);
    try {
      sender.measured = await this.#fetched(order, sender.gone.signal, tell);
      tell({ measured: sender.measured });
    } catch (error) {
      const failed =
        error instanceof FetchError
          ? error.message
          : `the snapshot could not be written to the volume: ${codeOf(error)}`;
      this.#options.say(
        `the backup could not be fetched from the backup store: ${failed}. Waiting for the operator to send the backup`,
      );
      tell({ failed });
    }
    response.end();
  }

  async #fetched(order: FetchOrder, signal: AbortSignal, tell: (line: FetchLine) => void): Promise<Measured> {
    const { place } = this.#options;
    let told = 0;
    const onProgress = (received: number) => {
      if (received - told < tellEvery) return;
      told = received;
      tell({ received });
    };
    try {
      return await place.write(fetchSnapshot(order, { signal }), { bytes: order.bytes, onProgress });
    } catch (error) {
      await place.drop();
      throw error;
    }
  }

  async #keep(sender: Sender, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { measured, socket } = sender;
    const order = readKeepOrder(await textOf(request));
    if (!measured) return answer(response, 409, 'no complete snapshot was received on this connection', true);
    if (order?.sha256 !== measured.sha256)
      return answer(
        response,
        422,
        'the SHA-256 of the received snapshot differs from the SHA-256 that the operator expects; the snapshot is not kept',
        true,
      );
    const { place, say, onKept } = this.#options;
    await place.keep(measured);
    say(`received the snapshot, ${measured.bytes} bytes`);
    // The operator must receive the response before this process ends, unless the operator has closed the connection.
    if (socket.destroyed) return onKept();
    response.once('close', onKept);
    answer(response, 200, 'kept', true);
  }
}

function answer(response: ServerResponse, code: number, text: string, isLast = false): void {
  if (response.headersSent) return void response.end();
  response.writeHead(code, { 'content-type': 'text/plain', ...(isLast && { connection: 'close' }) });
  response.end(`${text}\n`);
}

/** Returns only the code: the message of the error may contain the order. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
