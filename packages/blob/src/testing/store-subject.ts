// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '../blob-store.ts';
import type { StoreSettings } from '../store.ts';
import type { StoreSubject } from './conformance.ts';
import { anHourAgo } from './presign-suite.ts';

/** What the conformance suite needs of a kind of store: stores that are opened for buckets of one server. */
export async function storeSubject(
  open: (bucket: string, settings?: StoreSettings) => Promise<BlobStore>,
  server: { readonly bucket: string; readonly secret: string; stop(): Promise<void> },
  own: Pick<StoreSubject, 'partBytes' | 'leftovers' | 'seed'>,
): Promise<StoreSubject> {
  const store = await open(server.bucket);
  const withoutBucket = await open('not-there');
  const past = await open(server.bucket, { clock: anHourAgo });
  return {
    ...own,
    store,
    withoutBucket,
    presigner: { store, past, secrets: [server.secret] },
    close: async () => {
      for (const opened of [store, past, withoutBucket]) opened.close();
      await server.stop();
    },
  };
}
