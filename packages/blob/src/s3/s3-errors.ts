// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, type Redact, type StoreFault, storeError } from '../call/fault.ts';

/** What S3 and its look-alikes call things. */
const codes: Readonly<Record<string, BlobErrorCode>> = {
  NoSuchKey: 'NotFound',
  NoSuchBucket: 'BucketMissing',
  PreconditionFailed: 'NotFound',
  AccessDenied: 'Denied',
  AllAccessDisabled: 'Denied',
  // OSS, where a retention policy of the bucket is in effect.
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
  // Somebody has ended the upload meanwhile: a new one may well succeed.
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

/** What the SDK's errors have in common, as far as it is used. */
interface SdkError extends Error {
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** The store's name of what went wrong, such as `NoSuchUpload`. */
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

/** For locks S3 has words and no codes: of an object that is locked, and of a bucket that locks nothing. */
function lockCode(name: string, message: string): BlobErrorCode | undefined {
  if (!message.toLowerCase().replaceAll(' ', '').includes('objectlock')) return undefined;
  if (codes[name] === 'Denied') return 'Locked';
  return name === 'InvalidRequest' ? 'Configuration' : undefined;
}

/** Answers without a body, and those to HEAD, come out of the SDK as "UnknownError". */
function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message === 'UnknownError' ? '' : message;
}

/** A bucket in another region is the most common mistake; the store says where it is. */
function withRegion(fault: StoreFault, thrown: unknown): StoreFault {
  const region = headerOf(thrown, 'x-amz-bucket-region');
  if (region === undefined || fault.status === undefined || (fault.status !== 400 && fault.status !== 301))
    return fault;
  return { ...fault, message: `${fault.message}; the bucket is in the region ${region}` };
}

function headerOf(thrown: unknown, name: string): string | undefined {
  return thrown instanceof Error ? (thrown as SdkError).$response?.headers?.[name] : undefined;
}
