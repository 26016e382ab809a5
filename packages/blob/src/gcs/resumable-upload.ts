// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import { BlobError } from '../blob-error.ts';
import { textOf } from '../endpoint/http-call.ts';
import type { Part } from '../write/part-driver.ts';
import { type GcsObject, type GcsRequests, parsedObject } from './gcs-requests.ts';

/** The store's progress: it has the first `bytes`, or has created the object. */
type Persisted = { readonly bytes: number } | { readonly object: GcsObject };

/**
 * One resumable upload. Parts are sent in strict order; the last one is held back until `finish`, because it creates
 * the object. After a request with an unknown outcome, the store is asked how much it has, and only the rest is sent.
 */
export class ResumableUpload {
  readonly key: string;
  readonly #requests: GcsRequests;
  readonly #session: URL;
  readonly #hash: Hash = createHash('md5');
  #hashedParts = 0;
  #md5: string | undefined;
  #last: Part | undefined;
  #isUncertain = false;

  constructor(key: string, requests: GcsRequests, session: URL) {
    this.key = key;
    this.#requests = requests;
    this.#session = session;
  }

  async part(part: Part, signal: AbortSignal): Promise<void> {
    if (part.number > this.#hashedParts) {
      this.#hash.update(part.bytes);
      this.#hashedParts = part.number;
    }
    if (part.isLast) this.#last = part;
    else await this.#sendRest(part, undefined, signal);
  }

  /** Sends the last part. Returns the created object. */
  async finish(signal: AbortSignal): Promise<GcsObject> {
    const last = this.#last;
    if (!last) throw new BlobError('Unknown', `the upload to ${this.key} has no last part`);
    const made = await this.#sendRest(last, last.offset + last.bytes.byteLength, signal);
    if (!made)
      throw new BlobError(
        'Unavailable',
        `the backup store has received all of ${this.key} but did not create the object`,
      );
    return made;
  }

  /** MD5 of all parts, in Google's format. */
  get md5(): string {
    this.#md5 ??= this.#hash.digest('base64');
    return this.#md5;
  }

  async abort(signal: AbortSignal): Promise<void> {
    // 499 is Google's status for an upload that the client has closed.
    const request = { method: 'DELETE', url: this.#session, signal } as const;
    (await this.#requests.answer(request, 499, 200, 204, 404, 410)).body.resume();
  }

  /** Sends the missing bytes of a part, in several requests if the store accepts only some of them. */
  async #sendRest(part: Part, total: number | undefined, signal: AbortSignal): Promise<GcsObject | undefined> {
    const end = part.offset + part.bytes.byteLength;
    let persisted: Persisted = this.#isUncertain ? await this.#ask(signal) : { bytes: part.offset };
    this.#isUncertain = true;
    while (!('object' in persisted) && persisted.bytes < end) {
      if (persisted.bytes < part.offset) {
        throw new BlobError('Unknown', `the backup store has lost a part of ${this.key} that it had already received`);
      }
      const before = persisted.bytes;
      persisted = await this.#send(part, before, total, signal);
      // An immediate retry would be refused again: the next attempt follows after a pause.
      if (!('object' in persisted) && persisted.bytes <= before) {
        throw new BlobError('Unavailable', `the backup store accepted no data for ${this.key}`);
      }
    }
    this.#isUncertain = false;
    return 'object' in persisted ? persisted.object : undefined;
  }

  async #send(part: Part, from: number, total: number | undefined, signal: AbortSignal): Promise<Persisted> {
    const bytes = part.bytes.subarray(from - part.offset);
    const range = `bytes ${from}-${from + bytes.byteLength - 1}/${total ?? '*'}`;
    const hash = total === undefined ? {} : { 'x-goog-hash': `md5=${this.md5}` };
    return this.#put({ 'content-range': range, ...hash }, [bytes], signal);
  }

  #ask(signal: AbortSignal): Promise<Persisted> {
    return this.#put({ 'content-range': 'bytes */*' }, [], signal);
  }

  async #put(
    headers: Readonly<Record<string, string>>,
    body: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<Persisted> {
    const request = { method: 'PUT', url: this.#session, headers, body, signal } as const;
    const answer = await this.#requests.answer(request, 308, 200, 201);
    const text = await textOf(answer);
    if (answer.status !== 308) return { object: parsedObject(text) };
    const last = /^bytes=0-(?<last>\d+)$/.exec(answer.headers.range ?? '')?.groups?.['last'];
    return { bytes: last === undefined ? 0 : Number(last) + 1 };
  }
}
