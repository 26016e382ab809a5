// SPDX-License-Identifier: Apache-2.0
import type { Asked, Behaviour, Told } from './behaviour.ts';

export interface Retention {
  readonly mode: string;
  readonly retainUntilTime: string;
}

interface Metadata {
  readonly name?: string;
  readonly retention?: Retention;
}

/**
 * Object retention, which fake-gcs-server does not support. If it is enabled for the bucket, the metadata of an upload
 * sets it, and the metadata of the object shows it. Until the retention ends, the object can be neither deleted nor
 * replaced (in a bucket without versions, as here).
 */
export class GcsRetention {
  /** The retentions of objects, by name. */
  readonly kept = new Map<string, Retention>();
  isEnabled = true;
  /** The retentions of unfinished uploads. */
  readonly #begun = new Map<string, Retention | undefined>();

  readonly behave: Behaviour = async (asked, pass) => {
    const { method, url } = asked;
    if (method === 'POST' && url.pathname.startsWith('/upload/')) return this.#upload(asked, pass);
    const name = decodeURIComponent(/\/o\/(?<name>[^/]+)$/.exec(url.pathname)?.groups?.['name'] ?? '');
    if (method === 'DELETE' && this.#isKept(name)) return notMet(name);
    const answer = await pass();
    if (method === 'PUT' && answer.status === 200) return this.#finished(answer);
    if (method === 'DELETE' && answer.status < 300) this.kept.delete(name);
    return method === 'GET' && !url.searchParams.has('alt') ? this.#shown(answer) : answer;
  };

  async #upload(asked: Asked, pass: () => Promise<Told>): Promise<Told> {
    const { name = '', retention } = metadataOf(asked);
    if (this.#isKept(name)) return notMet(name);
    if (retention && !this.isEnabled) return refusal(400, 'invalid', 'Object retention is not enabled on the bucket.');
    if (retention && !isValid(retention)) return refusal(400, 'invalid', 'Invalid value for the object retention.');
    this.#begun.set(name, retention);
    const answer = await pass();
    if (asked.url.searchParams.get('uploadType') !== 'resumable') return this.#finished(answer);
    // The URL of a session has the address of the server. It gets the address of the proxy, to which the client has to
    // send.
    const { location, ...headers } = answer.headers;
    const own = location?.replace(/^https?:\/\/[^/]+/, `http://${asked.headers.host ?? ''}`);
    return { ...answer, headers: { ...headers, ...(own && { location: own }) } };
  }

  #finished(answer: Told): Told {
    const { name = '' } = parsed(answer.body);
    const retention = this.#begun.get(name);
    if (answer.status === 200 && retention) this.kept.set(name, retention);
    return this.#shown(answer);
  }

  #shown(answer: Told): Told {
    const object = parsed(answer.body);
    const retention = this.kept.get(object.name ?? '');
    return retention ? { ...answer, body: Buffer.from(JSON.stringify({ ...object, retention })) } : answer;
  }

  #isKept(name: string): boolean {
    return Date.parse(this.kept.get(name)?.retainUntilTime ?? '') > Date.now();
  }
}

/** The metadata in a request: the first part of its body if it contains the object, otherwise the whole body. */
function metadataOf({ body, url }: Asked): Metadata {
  if (url.searchParams.get('uploadType') === 'resumable') return parsed(body);
  const text = body.subarray(0, 4096).toString('latin1');
  const from = text.indexOf('\r\n\r\n') + 4;
  return parsed(Buffer.from(text.slice(from, text.indexOf('\r\n--', from))));
}

function parsed(body: Buffer): Metadata {
  try {
    return JSON.parse(body.toString()) as Metadata;
  } catch {
    return {};
  }
}

function isValid({ mode, retainUntilTime }: Retention): boolean {
  return (mode === 'Locked' || mode === 'Unlocked') && Date.parse(retainUntilTime) > Date.now();
}

function notMet(name: string): Told {
  const message = `Object '${name}' is subject to object retention and cannot be deleted or overwritten.`;
  return refusal(403, 'retentionPolicyNotMet', message);
}

function refusal(code: number, reason: string, message: string): Told {
  const body = { error: { code, message, errors: [{ message, domain: 'global', reason }] } };
  return {
    status: code,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
