// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, isBlobError } from '@operator-parts/blob';

/** Deletes an object and checks that it is gone, because some stores confirm deletions that they did not perform. */
export async function deleteAndVerify(store: BlobStore, key: string, signal: AbortSignal): Promise<void> {
  await store.delete(key, { signal });
  if (await isAbsent(store, key, signal)) return;
  throw stillExists(key);
}

export function stillExists(key: string): BlobError {
  return new BlobError('Unavailable', `the backup store confirmed the deletion of ${key}, but the object still exists`);
}

export async function isAbsent(store: BlobStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    await store.stat(key, { signal });
    return false;
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return true;
    throw error;
  }
}
