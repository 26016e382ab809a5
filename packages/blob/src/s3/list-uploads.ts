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
  /** False for buckets that list in an order of their own. */
  readonly listsInOrder: boolean;
}

/** An upload that was neither finished nor aborted. */
export interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
  /** Never, if the store does not tell: then it is not known to be old. */
  readonly startedAt: number;
}

interface Marker {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

/** A page names up to a thousand uploads: nobody has left more behind than so many pages hold. */
const mostPages = 200;

/**
 * Unfinished uploads to keys that begin like this. Others' are left out, whatever the store has made of the prefix. Ends with `BadListing`
 * if the pages run backwards, repeat themselves or come without end.
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
    `the listing of unfinished uploads to ${prefix}* does not end: the store returns the same position again`,
  );
}

/** Uploads to one key may fill several pages, in the order of their beginning. */
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
