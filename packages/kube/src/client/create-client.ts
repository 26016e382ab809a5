// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '@operator-parts/ports';
import type { RequestSummary } from '../kube-error.ts';
import { type RetryOptions, withRetry } from '../transport/retry.ts';
import type { Transport } from '../transport/transport.ts';
import type { CallContext } from './call.ts';
import type { Client, RetryingClient } from './client.ts';
import { HttpResourceClient } from './resource-client.ts';

export interface ClientOptions {
  /** The clock for idle watches. @default `systemClock` */
  readonly clock?: Clock;
  /**
   * Retries reads, and writes with a precondition, if the server is overloaded or the connection is lost (see
   * `withRetry`). Errors then contain the number of attempts.
   * @default no retries
   */
  readonly retry?: RetryOptions;
  /** Sent with every request. @default 'etcd-operator-kube' */
  readonly userAgent?: string;
  /**
   * A longer answer is an error of code `BadResponse`. Parsing an answer needs about four times its length in memory:
   * read long lists with `pages`.
   * @default 128 MiB
   */
  readonly maxBodyBytes?: number;
  /** A single watch event longer than this is refused with code `BadResponse`. @default 16 MiB */
  readonly maxEventBytes?: number;
  /** Called for each warning of the server, such as the use of a deprecated version. */
  readonly onWarning?: (warning: string, request: RequestSummary) => void;
}

/**
 * The typed client for any transport. There are no retries without `retry`; objects are kept as the server sent them,
 * and every failure is a `KubeError`, except that an invalid key is a `TypeError`.
 */
export function createClient(
  transport: Transport,
  options: ClientOptions & { readonly retry: RetryOptions },
): RetryingClient;
export function createClient(transport: Transport, options?: ClientOptions): Client;
export function createClient(transport: Transport, options: ClientOptions = {}): Client {
  const clock = options.clock ?? systemClock;
  const context: CallContext = {
    transport: options.retry ? withRetry(transport, { clock, ...options.retry }) : transport,
    clock,
    maxBodyBytes: options.maxBodyBytes ?? 128 * 2 ** 20,
    maxEventBytes: options.maxEventBytes ?? 16 * 2 ** 20,
    headers: { 'user-agent': options.userAgent ?? 'etcd-operator-kube' },
    onWarning: options.onWarning,
  };
  return {
    resource: (resource) => new HttpResourceClient(context, resource),
    ...(options.retry ? { repeats: true } : {}),
  };
}
