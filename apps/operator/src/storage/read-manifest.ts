// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@etcd-operator/blob';
import { type Manifest, manifestLimit, manifestPath, parseManifest } from './manifest.ts';

/**
 * Reads the manifest beside an object; undefined if there is none, or what lies there is none. A store may say "denied" of what
 * is not there, to whoever may read objects and not list them: who may not read a manifest has none.
 */
export async function readManifest(
  store: Pick<BlobStore, 'get'>,
  key: string,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const pieces: Uint8Array[] = [];
  try {
    const range = { offset: 0, length: manifestLimit + 1 };
    for await (const piece of store.get(manifestPath(key), range, { signal })) pieces.push(Buffer.from(piece));
  } catch (error) {
    if (isBlobError(error, 'NotFound', 'Denied')) return undefined;
    throw error;
  }
  return parseManifest(Buffer.concat(pieces));
}
