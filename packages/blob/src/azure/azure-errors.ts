// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, type Redact, storeError } from '../call/fault.ts';

/** Azure's error codes. */
const codes: Readonly<Record<string, BlobErrorCode>> = {
  BlobNotFound: 'NotFound',
  ConditionNotMet: 'NotFound',
  ContainerNotFound: 'BucketMissing',
  ContainerBeingDeleted: 'BucketMissing',
  ContainerDisabled: 'Denied',
  BlobImmutableDueToPolicy: 'Locked',
  BlobImmutableDueToLegalHold: 'Locked',
  AccountIsDisabled: 'Denied',
  AuthenticationFailed: 'Denied',
  AuthorizationFailure: 'Denied',
  AuthorizationPermissionMismatch: 'Denied',
  InsufficientAccountPermissions: 'Denied',
  InvalidAuthenticationInfo: 'Expired',
  ServerBusy: 'Throttled',
  InternalError: 'Unavailable',
  OperationTimedOut: 'Timeout',
  Md5Mismatch: 'ChecksumMismatch',
  Crc64Mismatch: 'ChecksumMismatch',
  InvalidMd5: 'ChecksumMismatch',
  // The SDK's error code for an answer that is not from Azure.
  PARSE_ERROR: 'Unavailable',
};

/** Errors of the identity library, by class name. */
const identityCodes: Readonly<Record<string, BlobErrorCode>> = {
  CredentialUnavailableError: 'Configuration',
  AuthenticationError: 'Denied',
  AggregateAuthenticationError: 'Configuration',
};

/** The common fields of the SDK's errors, as far as they are used. */
interface SdkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
  readonly response?: { readonly headers?: { get(name: string): string | undefined } };
}

export function azureStatus(thrown: unknown): number | undefined {
  return thrown instanceof Error ? (thrown as SdkError).statusCode : undefined;
}

/** The store's error code, such as `BlobNotFound`. */
export function azureCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const { code, details } = thrown as SdkError;
  return details?.errorCode ?? code ?? '';
}

export function azureError(thrown: unknown, what: string, redact: Redact): BlobError {
  if (thrown instanceof BlobError) return thrown;
  const status = azureStatus(thrown);
  const name = azureCode(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const cause = faultCopy(thrown, redact);
  const identity = thrown instanceof Error ? identityCodes[thrown.name] : undefined;
  if (identity) return new BlobError(identity, redact(`${what}: ${firstLine(message)}`), { cause });
  if (status === undefined) {
    const broken = connectionError(thrown, what, redact);
    if (broken) return broken;
  }
  const retryAfter = thrown instanceof Error ? (thrown as SdkError).response?.headers?.get('retry-after') : undefined;
  const code = isSkewed(thrown) ? 'ClockSkew' : (codes[name] ?? codeOfStatus(status));
  return storeError(code, { name, status, message: firstLine(message), retryAfter }, what, cause, redact);
}

/**
 * True if the clocks differ too much. Azure then reports only that the signature is invalid, but the details contain
 * this text.
 */
function isSkewed(thrown: unknown): boolean {
  const details = thrown instanceof Error ? (thrown as { readonly details?: unknown }).details : undefined;
  const text = `${thrown instanceof Error ? thrown.message : ''} ${JSON.stringify(details ?? {})}`;
  return /Request date header too old/i.test(text);
}

/** The first line of a message. Request IDs and times follow it. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
