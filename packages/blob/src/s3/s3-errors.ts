// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, type Redact, type StoreFault, storeError } from '../call/fault.ts';

/** Error codes of S3 and compatible stores. */
const codes: Readonly<Record<string, BlobErrorCode>> = {
  NoSuchKey: 'NotFound',
  NoSuchBucket: 'BucketMissing',
  PreconditionFailed: 'NotFound',
  AccessDenied: 'Denied',
  AllAccessDisabled: 'Denied',
  // OSS, if a retention policy of the bucket applies.
  FileImmutable: 'Locked',
  AccountProblem: 'Denied',
  InvalidAccessKeyId: 'Denied',
  SignatureDoesNotMatch: 'Denied',
  InvalidSecurity: 'Denied',
  XAdminUserNotFound: 'Denied',
  ExpiredToken: 'Expired',
  ExpiredTokenException: 'Expired',
  TokenRefreshRequired: 'Expired',
  InvalidToken: 'Expired',
  InvalidIdentityToken: 'Expired',
  RequestTimeTooSkewed: 'ClockSkew',
  RequestExpired: 'ClockSkew',
  SlowDown: 'Throttled',
  SlowDownRead: 'Throttled',
  SlowDownWrite: 'Throttled',
  Throttling: 'Throttled',
  ThrottlingException: 'Throttled',
  TooManyRequests: 'Throttled',
  RequestLimitExceeded: 'Throttled',
  BandwidthLimitExceeded: 'Throttled',
  InternalError: 'Unavailable',
  ServiceUnavailable: 'Unavailable',
  Busy: 'Unavailable',
  OperationAborted: 'Unavailable',
  // The upload was ended by another client meanwhile: a new one may succeed.
  NoSuchUpload: 'Unavailable',
  InvalidPart: 'Unavailable',
  IncompleteBody: 'Unavailable',
  RequestTimeout: 'Timeout',
  BadDigest: 'ChecksumMismatch',
  InvalidDigest: 'ChecksumMismatch',
  XAmzContentSHA256Mismatch: 'ChecksumMismatch',
  XAmzContentChecksumMismatch: 'ChecksumMismatch',
  PermanentRedirect: 'Configuration',
  TemporaryRedirect: 'Configuration',
  AuthorizationHeaderMalformed: 'Configuration',
  InvalidBucketName: 'Configuration',
  InvalidEncryptionAlgorithmError: 'Configuration',
  SecondLevelDomainForbidden: 'Configuration',
  CredentialsProviderError: 'Configuration',
  TokenProviderError: 'Configuration',
  QuotaExceeded: 'NoSpace',
  XMinioStorageFull: 'NoSpace',
  XMinioAdminBucketQuotaExceeded: 'NoSpace',
};

/** The common fields of the SDK's errors, as far as they are used. */
interface SdkError extends Error {
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** The store's error code, such as `NoSuchUpload`. */
export function s3Code(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const { name, Code } = thrown as SdkError;
  return name in codes ? name : (Code ?? name);
}

export function s3Status(thrown: unknown): number | undefined {
  return thrown instanceof Error ? (thrown as SdkError).$metadata?.httpStatusCode : undefined;
}

export function s3Error(thrown: unknown, what: string, redact: Redact): BlobError {
  if (thrown instanceof BlobError) return thrown;
  const status = s3Status(thrown);
  const name = s3Code(thrown);
  const known = Object.hasOwn(codes, name) ? codes[name] : undefined;
  if (status === undefined && known === undefined) {
    const broken = connectionError(thrown, what, redact);
    if (broken) return broken;
  }
  const message = messageOf(thrown);
  if (/checksum mismatch/i.test(message)) {
    return new BlobError('ChecksumMismatch', redact(`${what}: ${message}`), { cause: faultCopy(thrown, redact) });
  }
  const code = lockCode(name, message) ?? known ?? codeOfStatus(status);
  const fault: StoreFault = { name, status, message, retryAfter: headerOf(thrown, 'retry-after') };
  return storeError(code, withRegion(fault, thrown), what, faultCopy(thrown, redact), redact);
}

/** S3 has no error codes for locks, only messages: for a locked object, and for a bucket without locks. */
function lockCode(name: string, message: string): BlobErrorCode | undefined {
  if (!message.toLowerCase().replaceAll(' ', '').includes('objectlock')) return undefined;
  if (codes[name] === 'Denied') return 'Locked';
  return name === 'InvalidRequest' ? 'Configuration' : undefined;
}

/** The SDK reports answers without a body, and those to HEAD, as "UnknownError". */
function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message === 'UnknownError' ? '' : message;
}

/** Adds the region of the bucket to the message, if the store reports it: a wrong region is the most common mistake. */
function withRegion(fault: StoreFault, thrown: unknown): StoreFault {
  const region = headerOf(thrown, 'x-amz-bucket-region');
  if (region === undefined || fault.status === undefined || (fault.status !== 400 && fault.status !== 301))
    return fault;
  return { ...fault, message: `${fault.message}; the bucket is in the region ${region}` };
}

function headerOf(thrown: unknown, name: string): string | undefined {
  return thrown instanceof Error ? (thrown as SdkError).$response?.headers?.[name] : undefined;
}
