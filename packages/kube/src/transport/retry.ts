// SPDX-License-Identifier: Apache-2.0
import { type Clock, type Random, systemClock, systemRandom } from '@etcd-operator/ports';
import { isKubeError, KubeError } from '../kube-error.ts';
import { assertMayLeave } from './leave-fence.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { describe } from './transport-error.ts';

export interface RetryOptions {
  /** How often a request is sent at most. @default 5 */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; doubled for each further one. @default 200 */
  readonly initialDelay?: number;
  /** The longest delay, and the longest `Retry-After` that is waited for. In milliseconds. @default 30 s */
  readonly maxDelay?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Told of each repetition. */
  readonly onRetry?: (retry: Retry) => void;
}

/** A request that is about to be sent again. */
export interface Retry {
  readonly request: TransportRequest;
  readonly attempt: number;
  readonly delay: number;
  /** The HTTP status, or the error, of the attempt before. */
  readonly cause: unknown;
}

/**
 * Sends a request again after an overloaded server (429, 503) or a lost connection, with exponential back-off, jitter and
 * respect for `Retry-After`. Only reads and writes marked `repeatable` are repeated, because other writes might do their work
 * twice. The request's fence is asked before each attempt. Once an answer has begun, nothing is repeated.
 *
 * Answers and errors say how often the request was sent (`attempts`). A write whose answer was lost, and which was refused when it
 * was sent again, fails with `ConnectionLost`: the refusal may well come from its own first attempt having taken effect.
 */
export function withRetry(transport: Transport, options: RetryOptions = {}): Transport {
  const policy = {
    attempts: options.attempts ?? 5,
    initialDelay: options.initialDelay ?? 200,
    maxDelay: options.maxDelay ?? 30_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    onRetry: options.onRetry,
  };
  return {
    request: (request) => (isRepeatable(request) ? sendAgain(transport, request, policy) : transport.request(request)),
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  };
}

type Policy = Required<Omit<RetryOptions, 'onRetry'>> & { readonly onRetry: RetryOptions['onRetry'] };

function isRepeatable({ method, repeatable }: TransportRequest): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || repeatable === true;
}

async function sendAgain(transport: Transport, request: TransportRequest, policy: Policy): Promise<TransportResponse> {
  let lost: unknown;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(transport, request);
    const delay = attempt < policy.attempts ? delayAfter(outcome, attempt, policy) : undefined;
    if (delay === undefined) return settle(outcome, request, attempt, lost);
    const cause = 'error' in outcome ? outcome.error : outcome.response.status;
    if (isKubeError(cause, 'ConnectionLost')) lost = cause;
    if ('response' in outcome) await drain(outcome.response);
    policy.onRetry?.({ request, attempt, delay, cause });
    try {
      await policy.clock.sleep(delay, request.signal);
    } catch {
      // Aborted while waiting; the transport turns an aborted signal into its own error.
      return transport.request(request);
    }
  }
}

type Outcome = { readonly response: TransportResponse } | { readonly error: unknown };

async function attemptOnce(transport: Transport, request: TransportRequest): Promise<Outcome> {
  try {
    assertMayLeave(request);
    return { response: await transport.request(request) };
  } catch (error) {
    return { error };
  }
}

/** Refusals that a write's own first attempt can bring about. */
const ambiguous: ReadonlySet<number> = new Set([404, 409, 410, 412, 422]);

/** What came of it in the end. @param lost why the answer to an earlier attempt was lost, if one was */
async function settle(
  outcome: Outcome,
  request: TransportRequest,
  attempts: number,
  lost: unknown,
): Promise<TransportResponse> {
  if ('error' in outcome) {
    throw isKubeError(outcome.error) && attempts > 1 ? outcome.error.after(attempts) : outcome.error;
  }
  const { response } = outcome;
  if (lost === undefined || request.method === 'GET' || !ambiguous.has(response.status))
    return { ...response, attempts };
  await drain(response);
  const what = `${describe(request)} was sent a second time, because the first response was lost, and was refused (${response.status})`;
  throw new KubeError(
    'ConnectionLost',
    `${what}. The first request may have taken effect; read the object to find out`,
    {
      request: { method: request.method, path: request.path },
      attempts,
      cause: lost,
    },
  );
}

/** Milliseconds to wait before the next attempt; undefined if there is to be none. */
function delayAfter(outcome: Outcome, attempt: number, policy: Policy): number | undefined {
  const ceiling = Math.min(policy.maxDelay, policy.initialDelay * 2 ** (attempt - 1));
  // Between half and all of it, so that clients which failed together do not come back together.
  const backOff = ceiling * (0.5 + policy.random.next() / 2);
  if ('error' in outcome)
    return isKubeError(outcome.error, 'ConnectionRefused', 'ConnectionLost') ? backOff : undefined;
  const { status, headers } = outcome.response;
  if (status !== 429 && status !== 503) return undefined;
  const asked = retryAfter(headers['retry-after'], policy.clock);
  if (asked === undefined) return backOff;
  return asked > policy.maxDelay ? undefined : Math.max(asked, backOff);
}

/** `Retry-After` in milliseconds: a number of seconds, or a date. */
function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

/** Reads a short answer to its end, so that its connection can be used again. */
async function drain(response: TransportResponse): Promise<void> {
  let size = 0;
  try {
    for await (const piece of response.body) {
      size += piece.length;
      if (size > 65_536) break;
    }
  } catch {
    // The answer is of no interest; a connection lost here is one less to use.
  }
}
