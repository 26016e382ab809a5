// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import { type Manifest, manifestLimit, manifestPath, parseManifest } from './manifest.ts';

/** The manifest of an object, or why there is none. `garbled`: there is an object that is not a manifest, or the answer was damaged. */
export type FoundManifest = Manifest | 'absent' | 'denied' | 'garbled';

/** Reads the manifest of an object. Only `absent` means that there is no manifest. */
export async function findManifest(
  store: Pick<BlobStore, 'get'>,
  key: string,
  signal: AbortSignal,
): Promise<FoundManifest> {
  const pieces: Uint8Array[] = [];
  try {
    const range = { offset: 0, length: manifestLimit + 1 };
    for await (const piece of store.get(manifestPath(key), range, { signal })) pieces.push(Buffer.from(piece));
  } catch (error) {
    if (isBlobError(error, 'Denied')) return 'denied';
    if (isBlobError(error, 'NotFound')) return 'absent';
    throw error;
  }
  return parseManifest(Buffer.concat(pieces)) ?? 'garbled';
}

/**
 * Reads the manifest of an object; undefined if there is none or it is not valid. Without permission to list, a store answers "denied" even
 * for objects that do not exist. So a denied read counts as no manifest, unless the caller passes `denied`.
 */
export async function readManifest<Denied extends 'denied' | undefined = undefined>(
  store: Pick<BlobStore, 'get'>,
  key: string,
  signal: AbortSignal,
  denied?: Denied,
): Promise<Manifest | Denied | undefined> {
  const found = await findManifest(store, key, signal);
  if (found === 'denied') return denied;
  return typeof found === 'object' ? found : undefined;
}
