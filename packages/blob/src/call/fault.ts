// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';

/** Redacts secrets in texts for errors and logs. */
export type Redact = (text: string) => string;

const mask = '***';

/** Longer texts are cut: a very long one would take long to match and to read. */
const longestText = 4096;

function clipped(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
}

/**
 * Masks these values everywhere, and the query of every URL, because signatures and upload sessions are secrets too.
 */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  // A value of a few characters would mask half of every message, and is not a secret.
  const values = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= 4);
  return (text) => {
    const masked = values.reduce((rest, value) => rest.replaceAll(value, mask), text);
    return clipped(masked).replace(/[^\s"'<>]+/g, withoutQuery);
  };
}

/** The part before the query of a URL. */
function withoutQuery(word: string): string {
  const start = word.search(/\bhttps?:\/\//);
  const query = start === -1 ? -1 : word.indexOf('?', start);
  return query === -1 ? word : `${word.slice(0, query)}?${mask}`;
}

/** A text without trailing blanks and full stops. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s.]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/**
 * A copy of an error that is safe to keep: name and message, redacted. The SDKs' errors contain the request with its
 * headers, and so the credentials.
 */
export function faultCopy(thrown: unknown, redact: Redact): Error {
  const copy = new Error(redact(thrown instanceof Error ? thrown.message : String(thrown)));
  copy.name = thrown instanceof Error ? redact(thrown.name) : 'Error';
  // The stack helps; its first line, the message, is included already.
  if (thrown instanceof Error) copy.stack = redact(thrown.stack ?? '');
  return copy;
}

/** The store's answer: its own error code, the HTTP status, and the requested delay. */
export interface StoreFault {
  readonly name: string;
  readonly status: number | undefined;
  readonly message: string;
  readonly retryAfter: string | undefined;
}

/** The error code for an HTTP status, for answers without an error code of the store. */
export function codeOfStatus(status: number | undefined): BlobErrorCode {
  if (status === undefined) return 'Unknown';
  if (status === 401 || status === 403) return 'Denied';
  if (status === 404) return 'NotFound';
  if (status === 408) return 'Timeout';
  if (status === 429) return 'Throttled';
  if (status === 507) return 'NoSpace';
  // A success status from something other than the store.
  if (status >= 200 && status < 300) return 'Unavailable';
  if (status >= 300 && status < 400) return 'Configuration';
  return status >= 500 ? 'Unavailable' : 'Unknown';
}

/** What an error means, or what to do about it. */
const advice: Readonly<Partial<Record<BlobErrorCode, string>>> = {
  NotFound: 'the object does not exist',
  BucketMissing: 'the bucket or container does not exist: create it, or correct the path',
  Denied: 'check the credentials and their permissions',
  Expired: 'the credentials have expired: renew them',
  ClockSkew: "the operator's clock differs from the clock of the backup store: correct the clock of the node",
  Throttled: 'the backup store asks for fewer requests',
  NoSpace: 'the backup store is full: delete data from it, or raise its quota',
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
  const message = `${what}: ${sentences.join('; ') || 'the backup store refused'} (${said.join(', ')})`;
  const seconds = Number(fault.retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  return new BlobError(code, redact(message), { cause, ...retryAfterMs });
}

/** Errors of connections, by Node's error codes. */
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
 * The error for a connection that failed, was refused by us, or broke. Undefined for other errors. Follows causes too,
 * because SDKs wrap errors.
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

/** An error and its causes, outermost first, up to a limited depth. */
function* chain(thrown: unknown, depth = 0): Generator<Error, void, undefined> {
  if (!(thrown instanceof Error) || depth > 8) return;
  yield thrown;
  if (thrown instanceof AggregateError) for (const one of thrown.errors) yield* chain(one, depth + 1);
  yield* chain(thrown.cause, depth + 1);
}
