// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';

/** Takes secrets out of texts that go into errors and logs. */
export type Redact = (text: string) => string;

const mask = '***';

/** No sentence of a store is longer; what is could keep an expression, and whoever reads the message, busy for long. */
const longestText = 4096;

function clipped(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
}

/** Masks these values wherever they stand, and the query of every URL: signatures and upload sessions are secrets too. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  // A value of a few characters would mask half of every message, and is no secret.
  const values = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= 4);
  return (text) => {
    const masked = values.reduce((rest, value) => rest.replaceAll(value, mask), text);
    return clipped(masked).replace(/[^\s"'<>]+/g, withoutQuery);
  };
}

/** Of a word with a URL in it, what comes before its query. */
function withoutQuery(word: string): string {
  const start = word.search(/\bhttps?:\/\//);
  const query = start === -1 ? -1 : word.indexOf('?', start);
  return query === -1 ? word : `${word.slice(0, query)}?${mask}`;
}

/** Without blanks and full stops at its end. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/**
 * A copy of an error that can be kept: name and message, redacted. The originals of SDKs hold the request with its headers, and so the
 * credentials.
 */
export function faultCopy(thrown: unknown, redact: Redact): Error {
  const copy = new Error(redact(thrown instanceof Error ? thrown.message : String(thrown)));
  copy.name = thrown instanceof Error ? redact(thrown.name) : 'Error';
  // Where it was thrown helps; the first line, the message, is there already.
  if (thrown instanceof Error) copy.stack = redact(thrown.stack ?? '');
  return copy;
}

/** What a store said: its own code for it, the HTTP status, and for how long it asks to be left alone. */
export interface StoreFault {
  readonly name: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly retryAfter: string | undefined;
}

/** HTTP's own words, for answers whose code tells nothing. */
export function codeOfStatus(status: number | undefined): BlobErrorCode {
  if (status === undefined) return 'Unknown';
  if (status === 401 || status === 403) return 'Denied';
  if (status === 404) return 'NotFound';
  if (status === 408) return 'Timeout';
  if (status === 429) return 'Throttled';
  if (status === 507) return 'NoSpace';
  // A success that is none: something else than the store has answered.
  if (status >= 200 && status < 300) return 'Unavailable';
  if (status >= 300 && status < 400) return 'Configuration';
  return status >= 500 ? 'Unavailable' : 'Unknown';
}

/** What a person can do about it, or at least what it means. */
const advice: Readonly<Partial<Record<BlobErrorCode, string>>> = {
  NotFound: 'the object does not exist',
  BucketMissing: 'the bucket or container does not exist: create it, or correct the path',
  Denied: 'check the credentials and their permissions',
  Expired: 'the credentials have expired: renew them',
  ClockSkew: "the operator's clock differs from the clock of the store: correct the clock of the node",
  Throttled: 'the store asks for fewer requests',
  NoSpace: 'the store is full: free some space, or raise the quota',
  ChecksumMismatch: 'the data that arrived differs from the data that was sent',
};

/** The error for an answer of a store. */
export function storeError(
  code: BlobErrorCode,
  fault: StoreFault,
  what: string,
  cause: Error,
  redact: Redact,
): BlobError {
  const said = [fault.name, fault.status === undefined ? '' : `HTTP ${fault.status}`].filter((text) => text !== '');
  const sentences = [withoutEnd(clipped(fault.message)), advice[code] ?? ''].filter((text) => text !== '');
  const message = `${what}: ${sentences.join('; ') || 'the store refused'} (${said.join(', ')})`;
  const seconds = Number(fault.retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  return new BlobError(code, redact(message), { cause, ...retryAfterMs });
}

/** Errors of connections, by Node's names for them. */
const connectionCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'EPROTO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_CONSTANT',
]);

const certificateCode = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;

/**
 * The error for a connection that was not made, was refused by us, or broke. Undefined if it is something else. Looks at causes too,
 * because SDKs wrap what they throw.
 */
export function connectionError(thrown: unknown, what: string, redact: Redact): BlobError | undefined {
  for (const error of chain(thrown)) {
    if (error instanceof BlobError) return new BlobError(error.code, `${what}: ${error.message}`);
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const details = { cause: faultCopy(error, redact) };
    const message = `${what}: ${redact(error.message)}`;
    if (certificateCode.test(code)) return new BlobError('Configuration', `${message} (${code})`, details);
    if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') return new BlobError('Timeout', message, details);
    const isBroken =
      connectionCodes.has(code) || code.startsWith('HPE_') || /socket hang up|aborted/.test(error.message);
    if (isBroken) return new BlobError('Unavailable', message, details);
  }
  return undefined;
}

/** An error and what caused it, outermost first; bounded. */
function* chain(thrown: unknown, depth = 0): Generator<Error, void, undefined> {
  if (!(thrown instanceof Error) || depth > 8) return;
  yield thrown;
  if (thrown instanceof AggregateError) for (const one of thrown.errors) yield* chain(one, depth + 1);
  yield* chain(thrown.cause, depth + 1);
}
