// SPDX-License-Identifier: Apache-2.0
import type { Transport, TransportRequest, TransportResponse } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { ConnectionLost } from '../../faults/connection-lost.ts';
import type { FaultTarget } from '../../faults/fault-scope.ts';
import { faultTarget } from '../../faults/fault-target.ts';
import { ApiError } from '../api-error.ts';
import { ByteQueue } from '../byte-queue.ts';
import { parseRequestInfo } from '../request-info.ts';
import type { RemoteFaults } from './remote-faults.ts';

/** A transport to an API server outside of the lab, and the faults on the way. */
export interface FaultyTransportOptions {
  readonly base: Transport;
  /** The name of the client in the scope of faults. */
  readonly client: string;
  readonly faults: RemoteFaults;
  readonly clock: Clock;
}

/** Sends the requests of one client, with the faults that match them. */
export function faultyTransport({ base, client, faults, clock }: FaultyTransportOptions): Transport {
  const closing = new AbortController();
  return {
    async request(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
      const { path, query } = split(request.path);
      const target = faultTarget(parseRequestInfo(request.method, path, query), client);
      await faults.inEffect();
      try {
        if (!faults.isEmpty) await faults.beforeRequest(target, clock, signal);
        const past = faults.replicaFor(target)?.version;
        const asked =
          past === undefined ? request : { ...request, path: `${path}?${inPast(target.verb, query, past)}` };
        if (target.verb === 'watch') return await openWatch(base, { ...asked, signal }, target, { faults, clock });
        const response = await base.request({ ...asked, signal });
        if (!faults.isEmpty) await faults.afterRequest(target, signal).catch(dropping(response));
        return response;
      } catch (error) {
        if (error instanceof ApiError) return refusal(error);
        throw error;
      }
    },
    connect: (request) => base.connect(request),
    async close() {
      closing.abort(new Error('the transport is closed'));
      await base.close();
    },
  };
}

function split(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?');
  if (at < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

/** The query that reads the state of an older version. */
function inPast(verb: string, query: URLSearchParams, version: string): URLSearchParams {
  const past = new URLSearchParams(query);
  if (verb === 'list' && !query.has('continue')) {
    past.set('resourceVersion', version);
    past.set('resourceVersionMatch', 'Exact');
  }
  if (verb !== 'watch') return past;
  if (query.has('sendInitialEvents'))
    throw new ApiError(422, 'Invalid', 'sendInitialEvents cannot be used while the replica is frozen');
  if (Number(query.get('resourceVersion') ?? 0) === 0) past.set('resourceVersion', version);
  return past;
}

async function openWatch(
  base: Transport,
  request: TransportRequest & { readonly signal: AbortSignal },
  target: FaultTarget,
  { faults, clock }: Pick<FaultyTransportOptions, 'faults' | 'clock'>,
): Promise<TransportResponse> {
  const left = new AbortController();
  const response = await base.request({ ...request, signal: AbortSignal.any([request.signal, left.signal]) });
  if (response.status !== 200) return response;
  const queue = new ByteQueue(() => {
    forget();
    left.abort(new Error('the watch has ended'));
  });
  const forget = faults.addWatch({
    target,
    end: () => queue.end(),
    reset: () => queue.fail(new ConnectionLost('the watch was cut by a fault of the lab')),
  });
  const send = async (line: string) => {
    const { stalled, copies, delay } = faults.treatmentOf(target);
    if (delay > 0) await clock.sleep(delay, left.signal);
    if (stalled || faults.replicaFor(target)?.version !== undefined) return;
    queue.push(line.repeat(copies));
  };
  relay(response.body, send).then(
    () => queue.end(),
    (error: unknown) => queue.fail(error),
  );
  return { ...response, body: queue };
}

/** Passes on a stream line by line. */
async function relay(body: AsyncIterable<Uint8Array>, send: (line: string) => Promise<void>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) await send(`${line}\n`);
  }
}

/** The client does not get this answer. Its body must still be closed, or its connection stays in use. */
function dropping({ body }: TransportResponse): (error: unknown) => Promise<never> {
  return async (error) => {
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  };
}

function refusal(error: ApiError): TransportResponse {
  const after = error.details?.retryAfterSeconds;
  const headers = { 'content-type': 'application/json', ...(after ? { 'retry-after': String(after) } : {}) };
  return { status: error.code, headers, body: once(JSON.stringify(error.toStatus())) };
}

async function* once(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text, 'utf8');
}
