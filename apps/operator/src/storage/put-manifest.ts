// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@operator-parts/blob';
import { type Manifest, manifestPath, renderManifest } from './manifest.ts';
import { putVerified } from './put-verified.ts';

/** Writes and verifies the manifest of a verified backup. The manifest must be correct, because it decides whether a backup counts. */
export async function putManifest(
  store: BlobStore,
  key: string,
  manifest: Manifest,
  options: { readonly signal: AbortSignal; readonly mark: string },
): Promise<void> {
  await putVerified(store, manifestPath(key), once(renderManifest(manifest)), options);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
