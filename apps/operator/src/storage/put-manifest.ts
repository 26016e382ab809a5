// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@etcd-operator/blob';
import { type Manifest, manifestPath, renderManifest } from './manifest.ts';
import { putProven } from './put-proven.ts';

/** Writes the manifest beside a backup that is proven, and proves it: what it says is what makes a backup count. */
export async function putManifest(
  store: BlobStore,
  key: string,
  manifest: Manifest,
  options: { readonly signal: AbortSignal; readonly mark: string },
): Promise<void> {
  await putProven(store, manifestPath(key), once(renderManifest(manifest)), options);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
