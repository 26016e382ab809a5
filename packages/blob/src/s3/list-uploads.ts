// SPDX-License-Identifier: Apache-2.0
import type { ListMultipartUploadsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';
import { isAfter } from '../list/list-keys.ts';
import { decoded } from './s3-answers.ts';
import type { S3Sdk } from './s3-driver.ts';

export interface Bucket {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly bucket: string;
  /** False for buckets with another order. */
  readonly listsInOrder: boolean;
}

/** An upload that was neither finished nor aborted. */
export interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
  /** Infinite if the store does not say: then it does not count as old. */
  readonly startedAt: number;
}

interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

/**
 * The most pages that are read. A page has up to a thousand uploads, and there cannot be more left-over ones than on
 * this many pages.
 */
const mostPages = 200;

/**
 * Unfinished uploads to keys with this prefix. Uploads to other keys are left out, even if the store ignores the
 * prefix. Ends with `BadListing` if the pages are out of order, repeat themselves or never end.
 */
export async function* unfinishedUploads(
  { sdk, client, bucket, listsInOrder }: Bucket,
  prefix: string,
  abortSignal: AbortSignal,
): AsyncGenerator<UnfinishedUpload, void, undefined> {
  const start = { Bucket: bucket, Prefix: prefix, EncodingType: 'url' as const };
  const seen = new Set<string>();
  let marker: Marker = {};
  while (seen.size < mostPages) {
    const page = await client.send(new sdk.ListMultipartUploadsCommand({ ...start, ...marker }), { abortSignal });
    yield* uploadsOf(page).filter(({ key }) => key.startsWith(prefix));
    if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
    const before = marker.KeyMarker;
    marker = {
      KeyMarker: decoded(page.NextKeyMarker, page.EncodingType),
      UploadIdMarker: page.NextUploadIdMarker,
    };
    const name = JSON.stringify([marker.KeyMarker, marker.UploadIdMarker]);
    if (seen.has(name) || (listsInOrder && runsBackwards(before, marker.KeyMarker))) break;
    seen.add(name);
  }
  throw new BlobError(
    'BadListing',
    `the listing of unfinished uploads to ${prefix}* does not end: the backup store returns the same position again`,
  );
}

/**
 * True if a page begins before the previous one. It may begin with the same key: uploads to one key may fill several
 * pages.
 */
function runsBackwards(before: string | undefined, next: string | undefined): boolean {
  return before !== undefined && next !== undefined && next !== before && !isAfter(next, before);
}

function uploadsOf({ Uploads = [], EncodingType }: ListMultipartUploadsCommandOutput): readonly UnfinishedUpload[] {
  return Uploads.map(({ Key = '', UploadId = '', Initiated }) => ({
    key: decoded(Key, EncodingType),
    id: UploadId,
    startedAt: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
  }));
}
