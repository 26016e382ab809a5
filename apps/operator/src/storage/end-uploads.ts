// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, type Cleared } from '@etcd-operator/blob';
import { manifestPath } from './manifest.ts';

/** Ends unfinished uploads to an object and to its manifest; `refused` if the store refuses it for one of them. */
export async function endUploads(store: BlobStore, key: string, signal: AbortSignal): Promise<Cleared> {
  const object = await store.clear(key, { signal });
  const manifest = await store.clear(manifestPath(key), { signal });
  return object === 'refused' ? object : manifest;
}

/** What is not known to be ended is not gone. */
export function uploadsRefused(key: string): BlobError {
  return new BlobError(
    'Denied',
    `the store does not allow these credentials to list or abort unfinished uploads of ${key}`,
  );
}
