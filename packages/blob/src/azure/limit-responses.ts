// SPDX-License-Identifier: Apache-2.0
import type { RequestPolicyFactory } from '@azure/storage-blob';
import { BlobError } from '../blob-error.ts';
import { longestAnswer, longestFault } from '../endpoint/capped.ts';

/**
 * Limits the size of answers before they are parsed: the SDK would keep a whole answer in memory, however long it is.
 * Downloads of blobs are not limited: with a counter, the SDK no longer notices a broken connection.
 */
export function limitedResponses(): RequestPolicyFactory {
  return {
    create: (next) => ({
      sendRequest: (request) => {
        const isList = new URL(request.url).searchParams.get('comp') === 'list';
        const limit = isList ? longestAnswer : longestFault;
        if (isList || request.method !== 'GET') {
          request.onDownloadProgress = ({ loadedBytes }) => {
            if (loadedBytes <= limit) return;
            throw new BlobError('Unavailable', `the backup store sent a response longer than ${limit} bytes`);
          };
        }
        return next.sendRequest(request);
      },
    }),
  };
}
