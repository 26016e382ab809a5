// SPDX-License-Identifier: Apache-2.0
/**
 * Object stores behind one small interface, `BlobStore`: S3 and compatible ones, Azure Blob, Google Cloud Storage, OSS,
 * and a directory. One writer for all of them (`write/`) splits bodies of unknown length into parts in bounded memory;
 * the drivers (`s3/`, `azure/`, ...) only begin, send, finish and abort. `endpoint/` decides which hosts may be
 * contacted.
 */
export {
  type AzureCloud,
  type AzureCredentials,
  type AzureOptions,
  azureOptionsFromSecret,
} from './azure/azure-options.ts';
export { BlobError, type BlobErrorCode, type BlobErrorDetails, isBlobError } from './blob-error.ts';
export type {
  BlobInfo,
  BlobStore,
  BodySummary,
  ByteRange,
  CallOptions,
  Cleared,
  GetOptions,
  PresignedRead,
  PresignOptions,
  PutOptions,
  PutProgress,
  PutProof,
  PutResult,
  Settled,
  SweepOptions,
} from './blob-store.ts';
export type { RetryPolicy, StorePorts } from './call/attempts.ts';
export type { DirectoryOptions } from './directory/directory-driver.ts';
export { addressSet, isLocalAddress, isNetwork } from './endpoint/address-rules.ts';
export type { EndpointPolicy } from './endpoint/endpoint-policy.ts';
export { fitsHost } from './endpoint/host-pattern.ts';
export { lookupHost } from './endpoint/lookup-host.ts';
export { proxyOf, type StoreProxy } from './endpoint/proxy.ts';
export { type GcsCredentials, type GcsOptions, gcsCredentialsFromSecret } from './gcs/gcs-options.ts';
export { type ObjectPath, parseObjectPath } from './object-path.ts';
export { openStore, type StoreOptions } from './open-store.ts';
export { type OssCredentials, type OssOptions, ossCredentialsFromSecret } from './oss/open-oss.ts';
export { areS3CredentialsAmbient } from './s3/s3-credentials.ts';
export { type S3Credentials, type S3Options, s3CredentialsFromSecret } from './s3/s3-options.ts';
export type { StoreSettings } from './store.ts';
