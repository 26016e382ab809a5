// SPDX-License-Identifier: Apache-2.0
import { type Clock, type Random, systemClock, systemRandom } from '@operator-parts/ports';
import { isKubeError, KubeError } from '../kube-error.ts';
import { assertMaySend } from './send-fence.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { describe } from './transport-error.ts';

export interface RetryOptions {
  /** The maximum number of attempts. @default 5 */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; doubled for each further one. @default 200 */
  readonly initialDelay?: number;
  /** The longest delay, and the longest accepted `Retry-After`. In milliseconds. @default 30 s */
  readonly maxDelay?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called before each retry. */
  readonly onRetry?: (retry: Retry) => void;
}

/** A request that is about to be retried. */
export interface Retry {
  readonly request: TransportRequest;
  readonly attempt: number;
  readonly delay: number;
  /** The HTTP status, or the error, of the previous attempt. */
  readonly cause: unknown;
}

/**
 * Retries a request after an overloaded server (429, 503) or a lost connection, with exponential back-off, jitter and
 * `Retry-After`. Only reads and writes marked `repeatable` are retried, because other writes might take effect twice.
 * The request's fence is called before each attempt. Once an answer has begun, there are no retries.
 *
 * Answers and errors contain the number of attempts (`attempts`). If the answer to a write was lost and its retry is
 * refused, the write fails with `ConnectionLost`: its own first attempt may have caused the refusal.
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
    assertMaySend(request);
    return { response: await transport.request(request) };
  } catch (error) {
    return { error };
  }
}

/** The HTTP statuses with which a retry of a write is refused if its first attempt took effect. */
const ambiguous: ReadonlySet<number> = new Set([404, 409, 410, 412, 422]);

/** The final result. @param lost why the answer to an earlier attempt was lost, if one was */
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

/** Milliseconds to wait before the next attempt; undefined if there is none. */
function delayAfter(outcome: Outcome, attempt: number, policy: Policy): number | undefined {
  const ceiling = Math.min(policy.maxDelay, policy.initialDelay * 2 ** (attempt - 1));
  // Between half of the ceiling and all of it, so that clients which failed together do not retry together.
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
    // The answer is not needed; a connection lost here is dropped.
  }
}
