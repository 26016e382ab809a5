// SPDX-License-Identifier: Apache-2.0
import { KubeError, type RequestSummary } from '../kube-error.ts';
import type { KubeObject } from '../object.ts';
import { isStatus, statusError } from '../transport/response-error.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { badResponse, type Call, type CallContext, send } from './call.ts';
import { watchIdle } from './idle-limit.ts';
import { LineSplitter } from './line-splitter.ts';
import type { WatchEvent } from './watch-event.ts';

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * The events of one watch request. Ends normally only if the server ended the stream between two events; everything
 * else is a `KubeError`. The idle limit counts only while waiting for bytes, not while the consumer is busy.
 */
export async function* watchEvents<T extends KubeObject>(
  context: CallContext,
  call: Call,
  idleTimeout: number | undefined,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const idle = watchIdle(context.clock, idleTimeout, call.signal);
  const request: RequestSummary = { method: call.method, path: call.path };
  const lines = new LineSplitter(context.maxEventBytes);
  try {
    const response = await send(context, { ...call, streaming: true, signal: idle.signal });
    for await (const piece of response.body) {
      idle.pause();
      call.onBytes?.();
      for (const line of lines.push(piece)) yield parseEvent<T>(line, request);
      idle.resume();
    }
    idle.signal?.throwIfAborted();
  } catch (error) {
    if (idle.expired) {
      throw new KubeError('WatchIdle', `${describe(request)}: nothing arrived for ${idleTimeout} ms`, { request });
    }
    if (error instanceof RangeError) throw badResponse(request, `with an event too large: ${error.message}`, error);
    throw transportError(error, request, call.signal);
  } finally {
    idle.stop();
  }
  const { rest } = lines;
  if (rest)
    throw badResponse(request, `with a watch that ended inside an event, after ${rest.length} characters of it`);
}

/** One line of a watch. */
function parseEvent<T extends KubeObject>(line: string, request: RequestSummary): WatchEvent<T> {
  const frame = parseFrame(line, request);
  switch (frame.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!frame.object.metadata) throw badResponse(request, `with a watch event ${frame.type} without metadata`);
      return { type: frame.type, object: frame.object as T };
    case 'BOOKMARK': {
      const { resourceVersion, annotations } = frame.object.metadata ?? {};
      if (!resourceVersion) throw badResponse(request, 'with a bookmark without resourceVersion');
      return { type: 'BOOKMARK', resourceVersion, initialEventsEnd: annotations?.[initialEventsEnd] === 'true' };
    }
    case 'ERROR':
      if (isStatus(frame.object)) throw statusError(frame.object, request);
      throw badResponse(request, 'with a watch event ERROR that holds no Status');
    default:
      throw badResponse(request, `with a watch event of unknown type ${JSON.stringify(frame.type)}`);
  }
}

interface Frame {
  readonly type: unknown;
  readonly object: KubeObject;
}

function parseFrame(line: string, request: RequestSummary): Frame {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch (cause) {
    throw badResponse(request, `with a watch event that is not JSON (${line.length} characters)`, cause);
  }
  const object = (frame as { object?: unknown } | null)?.object;
  if (typeof object !== 'object' || object === null) throw badResponse(request, 'with a watch event without object');
  return frame as Frame;
}
