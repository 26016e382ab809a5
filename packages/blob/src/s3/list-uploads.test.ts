// SPDX-License-Identifier: Apache-2.0
import * as sdk from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { all } from '../testing/bodies.ts';
import { unfinishedUploads } from './list-uploads.ts';

type Page = Partial<sdk.ListMultipartUploadsCommandOutput>;

/** A bucket with these pages. */
function scene(pageOf: (nth: number) => Page, listsInOrder = true) {
  const client = new sdk.S3Client({ region: 'us-east-1' });
  const asked: sdk.ListMultipartUploadsCommandInput[] = [];
  client.middlewareStack.add(
    () => async (call) => {
      asked.push(call.input as sdk.ListMultipartUploadsCommandInput);
      return { response: {}, output: { $metadata: {}, ...pageOf(asked.length) } };
    },
    { step: 'initialize', priority: 'high' },
  );
  const uploads = () =>
    all(unfinishedUploads({ sdk, client, bucket: 'backups', listsInOrder }, 'p/', new AbortController().signal));
  return { asked, uploads };
}

const more = (NextKeyMarker: string, NextUploadIdMarker?: string): Page => ({
  IsTruncated: true,
  NextKeyMarker,
  ...(NextUploadIdMarker === undefined ? {} : { NextUploadIdMarker }),
});

test('pages go on where the one before ends, by the name of the key and not by its encoding', async () => {
  const pages: readonly Page[] = [
    { ...more('p%2Fa+b', '2'), EncodingType: 'url', Uploads: [{ Key: 'p%2Fa+b', UploadId: '2' }] },
    { ...more('p%2Fa+b', '1'), EncodingType: 'url', Uploads: [{ Key: 'p%2Fa+b', UploadId: '1' }] },
    {
      IsTruncated: false,
      Uploads: [
        { Key: 'p/c', UploadId: '3' },
        { Key: 'q', UploadId: '4' },
      ],
    },
  ];
  const { asked, uploads } = scene((nth) => pages[nth - 1] ?? {});
  expect((await uploads()).map(({ key, id }) => [key, id])).toEqual([
    ['p/a b', '2'],
    ['p/a b', '1'],
    ['p/c', '3'],
  ]);
  expect(asked.map(({ KeyMarker, UploadIdMarker }) => [KeyMarker, UploadIdMarker])).toEqual([
    [undefined, undefined],
    ['p/a b', '2'],
    ['p/a b', '1'],
  ]);
});

describe('a listing that does not get on ends with an error', () => {
  test.each<[string, (nth: number) => Page, number]>([
    ['the same page for ever', () => more('p/a'), 2],
    ['two pages in turn', (nth) => more(nth % 2 ? 'p/a' : 'p/b'), 3],
    ['backwards', (nth) => more(`p/${String.fromCharCode(122 - nth)}`), 2],
    ['two pages of uploads to one key in turn', (nth) => more('p/a', String(nth % 2)), 3],
    ['new pages for ever', (nth) => more(`p/${String(nth).padStart(9, '0')}`), 200],
  ])('%s', async (_title, pageOf, requests) => {
    const { asked, uploads } = scene(pageOf);
    await expect(uploads()).rejects.toMatchObject({ code: 'BadListing' });
    expect(asked).toHaveLength(requests);
  });
});

test('a bucket that lists in no order may go back, and not come to the same place twice', async () => {
  const markers = ['p/b', 'p/a', 'p/c', 'p/b'];
  const { asked, uploads } = scene((nth) => more(markers[nth - 1] ?? ''), false);
  await expect(uploads()).rejects.toMatchObject({ code: 'BadListing' });
  expect(asked).toHaveLength(4);
});
