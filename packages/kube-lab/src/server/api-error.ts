// SPDX-License-Identifier: Apache-2.0
import type { Status } from '@operator-parts/kube';

/** One cause of an error, as in `status.details.causes`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/**
 * The kind or resource of an error. `kind` is the plural name except for Invalid and BadRequest, as on the real server.
 */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** An error for the client, sent as `kind: Status`. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Only for Expired: the token with which a list can continue at a new version. */
  readonly continueToken: string | undefined;
  /** Warnings from before the error. */
  warnings: readonly string[] = [];

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  /** The body of the answer. */
  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** The resource name in errors: `pods` or `deployments.apps`. */
interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

function qualified({ group, plural }: ResourceName): string {
  return group ? `${plural}.${group}` : plural;
}

function detailsOf({ group, plural }: ResourceName, name: string): StatusDetails {
  return { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: plural };
}

export function notFound(resource: ResourceName, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: ResourceName, name: string): ApiError {
  const message = `${qualified(resource)} "${name}" already exists`;
  return new ApiError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

export function conflict(resource: ResourceName, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiError(409, 'Conflict', message, detailsOf(resource, name));
}

export function forbidden(resource: ResourceName, name: string, why: string): ApiError {
  const message = name
    ? `${qualified(resource)} "${name}" is forbidden: ${why}`
    : `${qualified(resource)} is forbidden: ${why}`;
  return new ApiError(403, 'Forbidden', message, detailsOf(resource, name));
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, undefined, continueToken);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 404 for a kind or subresource of a group that is served. */
export function unknownPath(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}
