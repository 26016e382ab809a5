// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { GuardedAgents } from '../endpoint/guarded-agents.ts';
import { type HttpAnswer, type HttpCall, httpCall, textOf } from '../endpoint/http-call.ts';
import { GcsAnswer } from './gcs-errors.ts';

/** The used fields of an object resource. */
export interface GcsObject {
  readonly name?: string;
  readonly size?: string;
  readonly updated?: string;
  /** Changes whenever the content does. */
  readonly generation?: string;
  readonly md5Hash?: string;
  /** The version of the Cloud KMS key that encrypts it. */
  readonly kmsKeyName?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly retention?: { readonly mode?: string; readonly retainUntilTime?: string };
}

export interface GcsList {
  readonly kind?: string;
  readonly items?: readonly GcsObject[];
  readonly nextPageToken?: string;
}

/** A request without its authorization. */
export type GcsRequest = Omit<HttpCall, 'headers' | 'url'> & {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Requests of Google's JSON API for one bucket. The SDK supports neither signals nor our connections, so only its
 * authentication is used.
 */
export class GcsRequests {
  readonly #endpoint: URL;
  readonly #bucket: string;
  readonly #agents: GuardedAgents;
  readonly #token: () => Promise<string>;

  constructor(endpoint: URL, bucket: string, agents: GuardedAgents, token: () => Promise<string>) {
    this.#endpoint = endpoint;
    this.#bucket = bucket;
    this.#agents = agents;
    this.#token = token;
  }

  /** The URL of all objects, or of one. */
  url(key: string | undefined, query: Readonly<Record<string, string>> = {}): URL {
    const object = key === undefined ? '' : `/${encodeURIComponent(key)}`;
    return this.#url(`/storage/v1/b/${encodeURIComponent(this.#bucket)}/o${object}`, query);
  }

  uploadUrl(query: Readonly<Record<string, string>>): URL {
    return this.#url(`/upload/storage/v1/b/${encodeURIComponent(this.#bucket)}/o`, query);
  }

  /** A URL from the store, which must not point to another host: requests to it contain the token. */
  ownUrl(text: string): URL {
    const url = URL.canParse(text, this.#endpoint.href) ? new URL(text, this.#endpoint) : undefined;
    if (url?.origin === this.#endpoint.origin) return url;
    throw new BlobError(
      'Configuration',
      `the backup store asked to upload to ${url?.host} instead of ${this.#endpoint.host}, which is refused`,
    );
  }

  /** The answer if it has one of these statuses, else an error. */
  async answer(request: GcsRequest, ...expected: readonly number[]): Promise<HttpAnswer> {
    const authorization = `Bearer ${await this.#token()}`;
    const answer = await httpCall(this.#agents, { ...request, headers: { ...request.headers, authorization } });
    if (expected.includes(answer.status)) return answer;
    throw new GcsAnswer(answer.status, await textOf(answer), answer.headers['retry-after']);
  }

  /** The answer as JSON. */
  async json<T>(request: GcsRequest): Promise<T> {
    return parsed(await textOf(await this.answer(request, 200, 201)));
  }

  #url(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(this.#endpoint);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
    url.search = new URLSearchParams(query).toString();
    return url;
  }
}

/** An answer as JSON; other content comes from something in front of the store. */
function parsed<T>(text: string): T {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as T;
  } catch {
    // The parser's message would quote the invalid text.
  }
  throw new BlobError('Unavailable', 'the backup store answered with something that is not JSON');
}

/** An object resource. Without a generation it is invalid. */
export function parsedObject(text: string): GcsObject {
  const object = parsed<GcsObject>(text);
  if (object.generation && Number.isSafeInteger(Number(object.size))) return object;
  throw new BlobError(
    'Unavailable',
    'the backup store did not report what it stored, so it is not certain that the data was stored',
  );
}
