// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, type Cleared } from '@operator-parts/blob';
import { manifestPath } from './manifest.ts';

/** Aborts unfinished uploads of an object and of its manifest; `refused` if the store refuses this for one of them. */
export async function endUploads(store: BlobStore, key: string, signal: AbortSignal): Promise<Cleared> {
  const object = await store.clear(key, { signal });
  const manifest = await store.clear(manifestPath(key), { signal });
  return object === 'refused' ? object : manifest;
}

/** The error if the store refuses to list or abort unfinished uploads: such uploads count as left behind. */
export function uploadsRefused(key: string): BlobError {
  return new BlobError('Denied', `the credentials may not list or abort unfinished uploads of ${key}`);
}
