// SPDX-License-Identifier: Apache-2.0
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';
import type { BlobInfo } from '../blob-store.ts';
import { type AnsweredRange, answeredRange } from '../read/content-range.ts';
import type { ObjectFacts } from '../store-driver.ts';
import type { Stored } from '../write/part-driver.ts';
import { s3Code, s3Status } from './s3-errors.ts';

/** The name of the metadata that says which put stored an object. */
export const markName = 'etcd-operator-upload';

/** The ETag, which every answer of S3 about an object has. An answer without it comes from something else. */
export function etagOf(etag: string | undefined, what: string): string {
  if (etag) return etag;
  throw new BlobError(
    'Unavailable',
    `${what}: the backup store answered without an ETag, so it is not certain that the data was stored`,
  );
}

export function compared(told: string | undefined, sum: string): Stored['checksum'] {
  if (!told) return 'unknown';
  return told === sum ? 'same' : 'other';
}

interface Found {
  readonly LastModified?: Date | undefined;
  readonly ETag?: string | undefined;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
}

export function facts(key: string, bytes: number | undefined, { LastModified, ETag, Metadata }: Found): ObjectFacts {
  if (bytes === undefined) throw new BlobError('Unavailable', `the backup store did not report the length of ${key}`);
  return {
    ...info(key, bytes, LastModified, etagOf(ETag, `reading the metadata of ${key}`)),
    mark: Metadata?.[markName],
  };
}

export function rangeOf(answer: GetObjectCommandOutput): AnsweredRange | undefined {
  const { $metadata, ContentRange, ContentLength } = answer;
  return answeredRange({ status: $metadata.httpStatusCode, contentRange: ContentRange, contentLength: ContentLength });
}

/** True if the store does not support a header of the request. */
export function isUnknownHeader(error: unknown): boolean {
  const isSaid = ['NotImplemented', 'InvalidArgument', 'InvalidRequest'].includes(s3Code(error));
  return s3Status(error) === 501 || (s3Status(error) === 400 && isSaid);
}

export function info(key: string, bytes = 0, modified: Date | undefined, etag: string | undefined): BlobInfo {
  return { key, bytes, modifiedAt: modified?.getTime() ?? 0, etag };
}

/** A key from a listing. Stores report whether they encoded the keys. */
export function decoded(key: string, encoding: string | undefined): string {
  return encoding === 'url' ? decodeURIComponent(key.replaceAll('+', ' ')) : key;
}

/** True if the request is not allowed, or not supported by this store. */
export function isRefusal(error: unknown): boolean {
  const status = s3Status(error);
  return status === 403 || status === 405 || status === 501;
}
