// SPDX-License-Identifier: Apache-2.0
import type { HttpMethod, KubeObject, ObjectList, ObjectMeta, Transport } from '@operator-parts/kube';
import { type Answer, readAnswer, successOf } from './answer.ts';
import { WatchStream } from './watch-stream.ts';

/** An object from a server, loosely typed because cases use any kind. */
export interface Stored extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
}

/** A list from a server. */
export type StoredList<T extends KubeObject = Stored> = ObjectList<T>;

/** What a request is sent with, besides its method and path. */
export interface AskOptions {
  /** A string is sent unchanged, other values as JSON. */
  readonly body?: unknown;
  /** `accept` and `content-type` are JSON unless said otherwise here. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The four kinds of patch, and the media type of each. */
const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A client. Answers are returned unchanged, including errors, unless a method says otherwise. */
export class Caller {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string | readonly string[]>>;

  /** @param headers are sent with every request */
  constructor(transport: Transport, headers: Readonly<Record<string, string | readonly string[]>> = {}) {
    this.#transport = transport;
    this.#headers = headers;
  }

  async ask<T = Stored>(method: HttpMethod, path: string, { body, headers }: AskOptions = {}): Promise<Answer<T>> {
    const json = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.#transport.request({
      method,
      path,
      headers: { ...json, ...this.#headers, ...headers },
      ...(text !== undefined && { body: text }),
    });
    return readAnswer<T>(response);
  }

  get<T = Stored>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
    return this.ask<T>('GET', path, { headers });
  }

  post<T = Stored>(path: string, body: unknown): Promise<Answer<T>> {
    return this.ask<T>('POST', path, { body });
  }

  put<T = Stored>(path: string, body: unknown): Promise<Answer<T>> {
    return this.ask<T>('PUT', path, { body });
  }

  patch<T = Stored>(path: string, type: keyof typeof patchTypes, body: unknown): Promise<Answer<T>> {
    return this.ask<T>('PATCH', path, { body, headers: { 'content-type': patchTypes[type] } });
  }

  delete<T = Stored>(path: string, options?: unknown): Promise<Answer<T>> {
    return this.ask<T>('DELETE', path, options === undefined ? {} : { body: options });
  }

  /** Creates an object that the case needs; an error fails the case. */
  async make<T = Stored>(path: string, body: unknown): Promise<T> {
    return successOf(await this.post<T>(path, body));
  }

  /** Reads an object that must exist; an error fails the case. */
  async read<T = Stored>(path: string): Promise<T> {
    return successOf(await this.get<T>(path));
  }

  /** Lists objects; an error fails the case. */
  list<T extends KubeObject = Stored>(path: string): Promise<StoredList<T>> {
    return this.read<StoredList<T>>(path);
  }

  /** Opens a watch; an error fails the case. `path` contains everything except `watch=true`. */
  async watch<T = Stored>(path: string, accept = 'application/json'): Promise<WatchStream<T>> {
    const stop = new AbortController();
    const response = await this.#transport.request({
      method: 'GET',
      path: `${path}${path.includes('?') ? '&' : '?'}watch=true`,
      headers: { accept, ...this.#headers },
      signal: stop.signal,
      streaming: true,
    });
    if (response.status !== 200) successOf(await readAnswer(response));
    return new WatchStream<T>(response, stop);
  }
}
