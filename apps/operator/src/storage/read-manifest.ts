// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@etcd-operator/blob';
import { type Manifest, manifestLimit, manifestPath, parseManifest } from './manifest.ts';

/** What lies where the manifest of an object belongs: `garbled` is anything that is none, or that came so. */
export type FoundManifest = Manifest | 'absent' | 'denied' | 'garbled';

/** Looks for the manifest beside an object. Only `absent` says that there is none. */
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
 * Reads the manifest beside an object; undefined if there is none, or what lies there is none. A store may say "denied" of what
 * is not there, to whoever may read objects and not list them: who may not read a manifest has none, unless `denied` asks to be told.
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
