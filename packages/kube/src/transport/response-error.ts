// SPDX-License-Identifier: Apache-2.0
import { KubeError, type KubeErrorCode, type RequestSummary, type Status } from '../kube-error.ts';
import { describe } from './transport-error.ts';

const codeOfReason: Readonly<Record<string, KubeErrorCode>> = {
  BadRequest: 'BadRequest',
  Unauthorized: 'Unauthorized',
  Forbidden: 'Forbidden',
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Gone: 'Gone',
  Invalid: 'Invalid',
  Expired: 'Expired',
  MethodNotAllowed: 'MethodNotAllowed',
  NotAcceptable: 'NotAcceptable',
  UnsupportedMediaType: 'UnsupportedMediaType',
  RequestEntityTooLarge: 'RequestEntityTooLarge',
  TooManyRequests: 'TooManyRequests',
  InternalError: 'InternalError',
  StoreReadError: 'InternalError',
  ServiceUnavailable: 'ServiceUnavailable',
  ServerTimeout: 'ServerTimeout',
  Timeout: 'Timeout',
};

const codeOfHttpStatus: Readonly<Record<number, KubeErrorCode>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'ServiceUnavailable',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** How much of a body that is not a Status is in the message. */
const excerptLength = 200;

/**
 * The error for an answer other than 2xx. The server's `reason` determines the code, else the HTTP status: proxies and
 * failing servers answer in plain text or HTML.
 */
export function responseError(httpStatus: number, body: string, request: RequestSummary): KubeError {
  const status = parseStatus(body);
  if (status) return statusError(status, request, httpStatus);
  const code = codeOfHttpStatus[httpStatus] ?? 'Unknown';
  const excerpt = body.trim().slice(0, excerptLength);
  return new KubeError(code, `${describe(request)} was answered with HTTP ${httpStatus}${excerpt && `: ${excerpt}`}`, {
    httpStatus,
    request,
  });
}

/** The error for a Status, as the body of an answer or in an ERROR event of a watch. */
export function statusError(status: Status, request: RequestSummary, httpStatus = status.code): KubeError {
  const byReason = status.reason && Object.hasOwn(codeOfReason, status.reason) && codeOfReason[status.reason];
  const code = byReason || codeOfHttpStatus[httpStatus ?? 0] || 'Unknown';
  const message = status.message || status.reason || `HTTP ${httpStatus ?? 'status unknown'}`;
  return new KubeError(code, `${describe(request)}: ${message}`, {
    ...(httpStatus === undefined ? {} : { httpStatus }),
    status,
    request,
  });
}

/** True for a value that the server calls a Status. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';
}

function parseStatus(body: string): Status | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
