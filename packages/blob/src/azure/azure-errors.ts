// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, type Redact, storeError } from '../call/fault.ts';

/** What Azure calls things. */
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
  // The SDK's own word for an answer that is not Azure's.
  PARSE_ERROR: 'Unavailable',
};

/** Errors of the identity library, by their class. */
const identityCodes: Readonly<Record<string, BlobErrorCode>> = {
  CredentialUnavailableError: 'Configuration',
  AuthenticationError: 'Denied',
  AggregateAuthenticationError: 'Configuration',
};

/** What the SDK's errors have in common, as far as it is used. */
interface SdkError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly details?: { readonly errorCode?: string };
  readonly response?: { readonly headers?: { get(name: string): string | undefined } };
}

export function azureStatus(thrown: unknown): number | undefined {
  return thrown instanceof Error ? (thrown as SdkError).statusCode : undefined;
}

/** The store's name of what went wrong, such as `BlobNotFound`. */
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

/** Azure says of a wrong time only in words that the signature is not valid; which words, is in the details. */
function isSkewed(thrown: unknown): boolean {
  const details = thrown instanceof Error ? (thrown as { readonly details?: unknown }).details : undefined;
  const text = `${thrown instanceof Error ? thrown.message : ''} ${JSON.stringify(details ?? {})}`;
  return /Request date header too old/i.test(text);
}

/** What follows is request ids and times. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
