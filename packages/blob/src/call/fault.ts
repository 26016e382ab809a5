// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';

/** Takes secrets out of texts that go into errors and logs. */
export type Redact = (text: string) => string;

const mask = '***';

/** Masks these values wherever they stand, and the query of every URL: signatures and upload sessions are secrets too. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  // A value of a few characters would mask half of every message, and is no secret.
  const values = secrets.filter((secret): secret is string => secret !== undefined && secret.length >= 4);
  return (text) => {
    const masked = values.reduce((rest, value) => rest.replaceAll(value, mask), text);
    return masked.replace(/(\bhttps?:\/\/[^\s?"'<>]*)\?[^\s"'<>]*/g, `$1?${mask}`);
  };
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
  if (status >= 300 && status < 400) return 'Configuration';
  return status >= 500 ? 'Unavailable' : 'Unknown';
}

/** What a person can do about it, or at least what it means. */
const advice: Readonly<Partial<Record<BlobErrorCode, string>>> = {
  NotFound: 'there is no such object',
  BucketMissing: 'there is no such bucket or container: make it, or correct the path',
  Denied: 'check the credentials, and what they allow',
  Expired: 'the credentials have expired: renew them',
  ClockSkew: "set this machine's clock",
  Throttled: 'the store asks for fewer requests',
  NoSpace: 'make room, or raise the quota',
  ChecksumMismatch: 'what arrived is not what was sent',
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
  const sentences = [fault.message.replace(/[\s.]+$/, ''), advice[code] ?? ''].filter((text) => text !== '');
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
