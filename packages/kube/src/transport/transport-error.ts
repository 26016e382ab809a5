// SPDX-License-Identifier: Apache-2.0
import { KubeError, type KubeErrorCode, type RequestSummary } from '../kube-error.ts';

/**
 * Converts any failure of a transport to a `KubeError`. A `KubeError` is unchanged. An aborted signal has priority over
 * the error that it caused. Otherwise the connection was lost and the outcome of a write is unknown, unless the system
 * says that no connection was opened.
 */
export function transportError(error: unknown, request: RequestSummary, signal?: AbortSignal): KubeError {
  const summary = { method: request.method, path: request.path };
  if (signal?.aborted) {
    if (error instanceof KubeError && error.code !== 'ConnectionLost') return error;
    return new KubeError('Aborted', `${describe(summary)} was aborted`, { request: summary, cause: signal.reason });
  }
  if (error instanceof KubeError) return error;
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  return new KubeError(code, `${describe(summary)} failed: ${detail || systemCode(error) || 'no reason given'}`, {
    request: summary,
    cause: error,
  });
}

/** `GET /api/v1/pods`: the request in errors, without the query. */
export function describe(request: RequestSummary): string {
  const query = request.path.indexOf('?');
  return `${request.method} ${query < 0 ? request.path : request.path.slice(0, query)}`;
}

const refused: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The server's certificate, or ours, was not accepted: nothing was sent yet. */
const notTrusted = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

const timedOut: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function codeOf(error: unknown): KubeErrorCode {
  const code = systemCode(error);
  if (code && (refused.has(code) || notTrusted.test(code))) return 'ConnectionRefused';
  if (code && timedOut.has(code)) return 'Timeout';
  return 'ConnectionLost';
}

/** After failed attempts to several addresses, Node hides the error codes in an `AggregateError`. */
function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  if (error instanceof AggregateError) return systemCode(error.errors[0]);
  return systemCode(cause);
}
