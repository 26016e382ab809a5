// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { type NetworkSettings, type Neutron, NeutronError, type NeutronErrorCode } from './neutron.ts';

export interface NeutronClientOptions {
  /** Where the service listens: `http://127.0.0.1:9696`. */
  readonly url: string;
  readonly clock: Clock;
  /** Timeout for an answer, in milliseconds. @default 5000 */
  readonly timeout?: number;
}

const codes: Readonly<Record<number, NeutronErrorCode>> = { 400: 'Invalid', 404: 'NotFound', 409: 'Conflict' };

/** The network service over HTTP. */
export function connectNeutron({ url, clock, timeout = 5000 }: NeutronClientOptions): Neutron {
  const place = (name: string) => `${url}/networks/${encodeURIComponent(name)}`;

  const call = async (method: string, address: string, signal: AbortSignal, body?: unknown): Promise<string> => {
    const late = new AbortController();
    const timer = clock.schedule(timeout, () => late.abort(new Error(`no answer within ${timeout} ms`)));
    try {
      const limits = AbortSignal.any([signal, late.signal]);
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(address, { method, signal: limits, ...init });
      const text = await response.text();
      if (response.ok) return text;
      throw new NeutronError(codes[response.status] ?? 'Unavailable', `${method} ${address}: ${text.trim()}`);
    } catch (cause) {
      if (cause instanceof NeutronError) throw cause;
      throw new NeutronError('Unavailable', `${method} ${address}: no answer from Neutron`, { cause });
    } finally {
      timer.cancel();
    }
  };

  return {
    list: async (signal) => Object.keys(JSON.parse(await call('GET', `${url}/networks`, signal)) as object),
    get: async (name, signal) => {
      const text = await call('GET', place(name), signal).catch(unlessNotFound);
      return text === undefined ? undefined : (JSON.parse(text) as NetworkSettings);
    },
    create: async (name, settings, signal) => {
      await call('POST', `${url}/networks`, signal, { name, ...settings });
    },
    update: async (name, settings, signal) => {
      await call('PUT', place(name), signal, settings);
    },
    delete: async (name, signal) => {
      await call('DELETE', place(name), signal).catch(unlessNotFound);
    },
  };
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof NeutronError && error.code === 'NotFound') return undefined;
  throw error;
}
